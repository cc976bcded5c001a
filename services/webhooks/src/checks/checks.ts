import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallCheck,
  checkPath,
  type DeliveryJob,
  newId,
  type Principal,
  type Rights,
} from '@waybill/contracts';
import { bodyFor } from '../bodies/reduction.ts';
import { testBody } from '../bodies/test-body.ts';
import type { Context } from '../context.ts';
import { type Endpoint, findEndpoint } from '../endpoints/queries.ts';
import { findRights } from '../endpoints/rights.ts';
import { findPreviousSecret } from '../endpoints/secrets.ts';
import { errors } from '../errors.ts';
import { countRateCalls, insertRateCalls } from '../schedule/rates.ts';
import { beginCheck, endCheck } from './queries.ts';

/** How long a check waits for its endpoint's rate limit. */
const rateWaitMs = 3_000;
/** How long delivery may take: 2 seconds for the name, 10 for the call, and 2 to close a connection to a queue. */
const deliveryMs = 15_000;

/**
 * Has delivery determine what would make calls of an endpoint fail now: `decisions.md 24.3`.
 * @throws not_found, invalid_state while a check runs, resource_unavailable
 */
export async function checkEndpoint(
  context: Context,
  storeId: string,
  principal: Principal,
  id: string,
): Promise<{ checks: CallCheck[] }> {
  const endpoint = await findEndpoint(context.db, storeId, principal, id);
  if (!endpoint) throw errors.not_found();
  const release = context.state.checks.acquire(storeId);
  if (!release)
    throw errors.resource_unavailable({
      message: 'Too many checks are running; try again soon.',
      headers: { 'retry-after': '5' },
    });
  try {
    return await runCheck(context, endpoint);
  } finally {
    release();
  }
}

async function runCheck(context: Context, endpoint: Endpoint): Promise<{ checks: CallCheck[] }> {
  const { store_id: storeId, id } = endpoint;
  if (!(await beginCheck(context.db, storeId, id)))
    throw errors.invalid_state({ message: 'A check of this webhook is already running.' });
  try {
    const getRights = await findRights(context, [{ storeId, id: endpoint.owner_id }]);
    await waitForRate(context, endpoint);
    const job = toCheckJob(endpoint, getRights(storeId, endpoint.owner_id) ?? []);
    const options = { timeoutMs: deliveryMs };
    const reply = await context.peers.call<{ checks: CallCheck[] }>(
      'delivery',
      'POST',
      checkPath,
      { job },
      options,
    );
    if (!reply) throw errors.resource_unavailable({ headers: { 'retry-after': '5' } });
    return reply;
  } finally {
    await endCheck(context.db, storeId, id);
  }
}

/** Waits until the endpoint's rate allows the check's call, and counts it like any other call. */
async function waitForRate({ transaction }: Context, endpoint: Endpoint): Promise<void> {
  const { store_id: storeId, id: endpointId, max_per_second: maxPerSecond } = endpoint;
  if (maxPerSecond === null || endpoint.call_settings?.destination) return;
  const deadline = performance.now() + rateWaitMs;
  for (;;) {
    const waitSeconds = await transaction(async (trx) => {
      const rate = (await countRateCalls(trx, [{ storeId, endpointId }])).get(endpointId);
      if (rate && rate.calls >= maxPerSecond) return rate.waitSeconds;
      await insertRateCalls(trx, [{ storeId, endpointId, id: newId('webhookDelivery') }]);
      return null;
    });
    if (waitSeconds === null) return;
    if (performance.now() > deadline)
      throw errors.resource_unavailable({
        message: 'The webhook has as many calls as its rate allows; try again soon.',
        headers: { 'retry-after': '1' },
      });
    await sleep(Math.max(5, waitSeconds * 1000));
  }
}

function toCheckJob(endpoint: Endpoint, rights: Rights): DeliveryJob {
  const { store_id: storeId, id, url, sealed_secret: sealedSecret, events } = endpoint;
  const { call_settings: settings, sealed_settings: sealedSettings, batch } = endpoint;
  const [eventId, deliveryId, now] = [newId('event'), newId('webhookDelivery'), new Date()];
  const eventType = events[0]!;
  const body = bodyFor(rights, eventType, testBody(eventId, eventType, now));
  return {
    storeId,
    deliveryId,
    endpointId: id,
    url,
    sealedSecret,
    previousSecret: findPreviousSecret(endpoint),
    eventId,
    eventType,
    attempt: 1,
    body,
    committedAt: now.getTime(),
    leasedUntil: now.getTime(),
    isTest: true,
    ...(settings && { settings, sealedSettings }),
    ...(batch && {
      batch: { id: newId('webhookBatch'), members: [{ deliveryId, eventId, eventType, body }] },
    }),
  };
}
