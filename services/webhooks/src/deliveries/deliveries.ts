import { idPattern, newId, type Principal, type Rights } from '@waybill/contracts';
import { defineCursors } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import Type from 'typebox';
import { type HideFields, hideNothing } from '../bodies/app-fields.ts';
import { canReadFully } from '../bodies/reduction.ts';
import type { Context, Write } from '../context.ts';
import { lockEndpoint } from '../endpoints/queries.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import type { AttemptRecord } from './attempt-record.ts';
import {
  type DeliveryFilter,
  findDelivery,
  hasEvent,
  listDeliveries,
  type ShownDelivery,
  scheduleRedelivery,
} from './queries.ts';
import type { Attempt, Delivery, DeliveryWithAttempts } from './routes.ts';
import { readSentRequest } from './sent-request.ts';

/**
 * Makes one more attempt due now. For a delivery that is still waiting, this is its next attempt (`decisions.md 6.8`).
 * @throws not_found, invalid_state when the endpoint is disabled, or the event is gone
 */
export async function redeliver(
  { trx, afterCommit }: Write,
  { wakeTask }: Pick<Context, 'wakeTask'>,
  storeId: string,
  principal: Principal,
  endpointId: string,
  deliveryId: string,
): Promise<Delivery> {
  const endpoint = await lockEndpoint(trx, storeId, principal, endpointId);
  const delivery = endpoint && (await findDelivery(trx, storeId, endpointId, deliveryId));
  if (!delivery) throw errors.not_found();
  if (endpoint.status === 'disabled') throw errors.invalid_state({ message: 'The webhook is disabled.' });
  if (!delivery.is_test && !(await hasEvent(trx, storeId, delivery.event_id))) {
    throw errors.invalid_state({ message: 'The event is no longer kept.' });
  }
  // A redelivery goes alone and at once, even when the endpoint gets batches.
  const batchId = endpoint.batch ? newId('webhookBatch') : null;
  await scheduleRedelivery(trx, storeId, endpointId, deliveryId, batchId);
  afterCommit(() => wakeTask('dispatch'));
  return toDelivery((await findDelivery(trx, storeId, endpointId, deliveryId))!);
}

const cursors = defineCursors('webhook-deliveries', Type.String({ pattern: idPattern('webhookDelivery') }));
const eventIdPattern = /^evt_[0-9A-Za-z_-]{1,100}$/;

/**
 * Returns a page of an endpoint's deliveries, newest first (`decisions.md 12.6`).
 * @throws invalid_cursor
 */
export async function listDeliveryPage(
  db: Kysely<Tables>,
  storeId: string,
  endpointId: string,
  { limit, after, ...requestedFilter }: DeliveryFilter & { limit: number; after?: string },
) {
  const isEventId = eventIdPattern.test(requestedFilter.eventId ?? '');
  const filter = { ...requestedFilter, eventId: isEventId ? requestedFilter.eventId : undefined };
  const scope = [
    storeId,
    endpointId,
    filter.status ?? null,
    filter.eventType ?? null,
    filter.eventId ?? null,
  ];
  const cursorId = cursors.read(scope, after);
  // Read one more row than requested, to tell whether another page follows.
  const { rows, total } = await listDeliveries(db, storeId, endpointId, filter, {
    limit: limit + 1,
    after: cursorId,
  });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1)! : null;
  return { deliveries: shown.map(toDelivery), total, nextCursor: last && cursors.at(scope, last.id) };
}

/**
 * Returns a delivery with the log of its attempts, and with the request if the reader may read its event
 * (`decisions.md 12.6, 24.3`).
 * @throws not_found
 */
export async function readDelivery(
  db: Kysely<Tables>,
  storeId: string,
  endpointId: string,
  id: string,
  rights: Rights,
  prepareHiding: (bodies: readonly string[]) => Promise<HideFields> = async () => hideNothing,
): Promise<DeliveryWithAttempts> {
  const row = await findDelivery(db, storeId, endpointId, id);
  if (!row) throw errors.not_found();
  const isReadable = canReadFully(rights, row.event_type);
  const attempts = row.attempt_log.map((entry) => toAttempt(entry, isReadable));
  return { ...toDelivery(row), request: await readSentRequest(db, row, rights, prepareHiding), attempts };
}

/** Converts a record to its API form, without the payload. */
export function toDelivery(row: ShownDelivery): Delivery {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    eventType: row.event_type,
    attempt: Math.max(1, row.attempts),
    status: row.status,
    isTest: row.is_test,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    deliveredAt: row.delivered_at?.toISOString() ?? null,
    lastStatusCode: row.last_status_code,
    lastError: row.last_error,
  };
}

/** Converts an entry of a delivery's log to its API form. */
function toAttempt(
  { attempt, durationMs, statusCode, error, reply, request, ...at }: AttemptRecord,
  isReadable: boolean,
): Attempt {
  const startedAt = at.endedAt ? new Date(Date.parse(at.endedAt) - durationMs).toISOString() : at.startedAt;
  const [responseHeaders, responseBody] = [reply?.headers ?? null, reply?.body ?? null];
  const requestHeaders = isReadable ? (request?.headers ?? null) : null;
  return { attempt, startedAt, durationMs, statusCode, error, requestHeaders, responseHeaders, responseBody };
}
