import type { EventTypeWords } from './en/event-types.ts';
import { defineTexts, useTexts } from './texts.ts';

const texts = defineTexts({
  en: () => import('./en/event-types.ts'),
  de: () => import('./de/event-types.ts'),
});

/** Returns the texts about event types and the outcomes of their calls. */
export const useEventTypeTexts = (): EventTypeWords => useTexts(texts);
