import type { EventTypeWords } from './en/event-types.ts';
import { defineTexts, useTexts } from './texts.ts';

const texts = defineTexts<EventTypeWords>({
  en: () => import('./en/event-types.ts'),
  de: () => import('./de/event-types.ts'),
});

/** What the types of events are called, and what becomes of a call for one. */
export const useEventTypeTexts = (): EventTypeWords => useTexts(texts);
