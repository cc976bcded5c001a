import type { WebhookWords } from '../../texts/en/webhooks.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/webhooks.ts'),
  de: () => import('../../texts/de/webhooks.ts'),
});

export const useWebhookTexts = (): WebhookWords => useTexts(texts);
