import { type CallType, type Rights, type SentRequest, toCloudEvent } from '@waybill/contracts';
import type { Kysely } from 'kysely';
import type { HideFields } from '../bodies/app-fields.ts';
import { canReadFully, reduceBody } from '../bodies/reduction.ts';
import { testBody } from '../bodies/test-body.ts';
import type { Tables } from '../tables.ts';
import type { AttemptRecord } from './attempt-record.ts';
import { type DeliveryRow, findBatchBodies, findEventBody } from './queries.ts';

/** Maximum number of bytes of a body that are shown. */
const shownBytes = 64 * 1024;

/**
 * Returns the request of the latest attempt as it was sent, for a reader with these rights; null when there is none, or
 * the reader may not read the event. Its body is rebuilt from the stored event, so that an erasure applies to it
 * (`decisions.md 24.3`).
 */
export async function readSentRequest(
  db: Kysely<Tables>,
  row: DeliveryRow,
  rights: Rights,
  prepareHiding: (bodies: readonly string[]) => Promise<HideFields>,
): Promise<{ url: string; body: string } | null> {
  const latest = row.attempt_log.at(-1);
  if (!latest?.request || !canReadFully(rights, row.event_type)) return null;
  const body = await rebuildBody(db, row, latest, latest.request, rights, prepareHiding);
  return body === null ? null : { url: latest.request.url, body: truncateBody(body) };
}

async function rebuildBody(
  db: Kysely<Tables>,
  row: DeliveryRow,
  { batchId }: AttemptRecord,
  request: SentRequest,
  rights: Rights,
  prepareHiding: (bodies: readonly string[]) => Promise<HideFields>,
): Promise<string | null> {
  const { store_id: storeId, event_id: eventId, event_type: type } = row;
  const reduced = new Set(request.reducedTypes ?? []);
  const toSentBody = async (eventType: CallType, body: string) =>
    reduced.has(eventType) || !canReadFully(rights, eventType)
      ? reduceBody(eventType, body)
      : (await prepareHiding([body]))(eventType, body);
  if (batchId !== undefined && !row.is_test) {
    const events = await findBatchBodies(db, storeId, batchId);
    if (!events) return null;
    const sent = await Promise.all(events.map((event) => toSentBody(event.type, event.body)));
    return `{"events":[${sent.join()}]}`;
  }
  const stored = row.is_test
    ? testBody(eventId, type, row.created_at)
    : await findEventBody(db, storeId, eventId);
  if (stored === null) return null;
  const envelope = await toSentBody(type, stored);
  if (batchId !== undefined) return `{"events":[${envelope}]}`;
  return request.format === 'cloudevents' ? toCloudEvent(storeId, envelope) : envelope;
}

/** Returns the first bytes of a text, without a partial character at the end. */
function truncateBody(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= shownBytes) return text;
  return new TextDecoder().decode(bytes.subarray(0, shownBytes), { stream: true });
}
