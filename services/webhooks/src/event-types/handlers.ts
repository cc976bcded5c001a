import { eventCatalogue } from '@waybill/contracts';
import { type Handlers, rawJson } from '@waybill/kernel';
import type { routes } from './routes.ts';

const answer = rawJson(JSON.stringify({ eventTypes: eventCatalogue, total: eventCatalogue.length }));

export const handlers = (): Handlers<typeof routes> => ({
  listEventTypes: async () => answer,
});
