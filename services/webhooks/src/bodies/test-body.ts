import { type CallType, eventCatalogue } from '@waybill/contracts';
import { envelope } from './public-event.ts';

const samples = new Map<CallType, string>(
  eventCatalogue.map(({ type, sample }) => [type, JSON.stringify(sample)]),
);

/** Builds the body of a test call from the sample of its type. No event is stored for it (`decisions.md 12.5`). */
export const testBody = (eventId: string, type: CallType, at: Date): string =>
  envelope({ id: eventId, type, createdAt: at.toISOString(), data: samples.get(type)! });
