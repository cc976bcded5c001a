import { eventCatalogue } from '@waybill/contracts';
import { describeSchema, type Handlers, rawJson } from '@waybill/kernel';
import type { routes } from './routes.ts';

// Schemas are described in the words of the API document (`decisions.md 12.7`).
const eventTypes = eventCatalogue.map((each) => ({ ...each, schema: describeSchema(each.schema) }));
const answer = rawJson(JSON.stringify({ eventTypes, total: eventTypes.length }));

export const handlers = (): Handlers<typeof routes> => ({
  listEventTypes: async () => answer,
});
