import { type Handlers, rawJson } from '@waybill/kernel';
import { vocabulary } from '@waybill/page';
import type { routes } from './routes.ts';

const envelope = JSON.stringify({ vocabulary });

export const handlers = (): Handlers<typeof routes> => ({
  getVocabulary: async () => rawJson(envelope),
  readVocabulary: async () => rawJson(envelope),
});
