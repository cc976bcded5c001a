import { type EventType, eventCatalogue } from '@waybill/contracts';
import { envelope } from './public-event.ts';

const samples = new Map(eventCatalogue.map(({ type, sample }) => [type, JSON.stringify(sample)]));

/** The body of a test call, the sample of its type: no event is stored for it. `decisions.md 12.5`. */
export const testBody = (eventId: string, type: EventType, at: Date): string =>
  envelope({ id: eventId, type, createdAt: at.toISOString(), data: samples.get(type)! });
