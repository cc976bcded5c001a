import type { Readable } from 'node:stream';
import { readBody } from '@waybill/kernel';
import { open } from '@waybill/outbound';
import Stripe from 'stripe';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { receivedEvents, unknownEvents } from '../metrics.ts';
import {
  findPaymentOfIntent,
  findSession,
  type MethodRow,
  scheduleLookUp,
} from '../records/session-queries.ts';
import { findMethodOfEvents, insertEvent } from './queries.ts';

/** Stripe's own events are far smaller. */
const maxBytes = 512 * 1024;

/** The parts of an event that tell which payment it belongs to. */
interface EventObject {
  id?: string;
  object?: string;
  client_reference_id?: string | null;
  payment_intent?: string | { id: string } | null;
  metadata?: Record<string, string> | null;
}

/**
 * Receives an event of a provider once, and answers only after storing it. An event changes nothing by itself: the
 * payment is looked up at the provider. So events may arrive in any order, twice or late, or be forged by somebody who
 * has the secret.
 * @throws not_found, invalid_signature, body_too_large, invalid_body
 */
export async function receiveEvent(
  context: Context,
  methodId: string,
  signature: string | string[] | undefined,
  stream: Readable,
): Promise<void> {
  const { db, write, wakeTask } = context;
  const method = await findMethodOfEvents(db, methodId);
  if (method?.provider !== 'stripe') throw errors.not_found();
  const raw = await readBody(stream, maxBytes, {
    tooLarge: () => errors.body_too_large(),
    broken: (message) => errors.invalid_body({ message }),
  });
  const event = readEvent(context, method, raw, signature);
  const storeId = method.store_id;
  const paymentId = await findEventPayment(context, storeId, event.data.object as EventObject);
  const now = new Date();
  const isNew = await write(async ({ trx }) => {
    const isStored = await insertEvent(trx, storeId, {
      method_id: method.id,
      event_id: event.id,
      type: event.type,
      payment_id: paymentId,
      received_at: now,
    });
    if (isStored && paymentId !== null) await scheduleLookUp(trx, storeId, paymentId, now);
    return isStored;
  });
  receivedEvents.inc({ outcome: isNew ? 'stored' : 'repeated' });
  if (isNew && paymentId === null) unknownEvents.inc();
  if (isNew && paymentId !== null) wakeTask('look-up-payments');
}

/** Checks the signature of an event and parses it. @throws invalid_signature */
function readEvent(
  { config }: Pick<Context, 'config'>,
  { id, sealed_webhook_secret: sealed }: MethodRow,
  raw: Buffer,
  signature: string | string[] | undefined,
): Stripe.Event {
  try {
    if (!sealed || typeof signature !== 'string') throw new Error('no secret or signature');
    // Accepts any age (0), because an event counts once and only causes a look-up.
    return Stripe.webhooks.constructEvent(raw, signature, open(config.encryptionKeys, sealed, id), 0);
  } catch {
    receivedEvents.inc({ outcome: 'refused' });
    throw errors.invalid_signature();
  }
}

async function findEventPayment(
  { db }: Pick<Context, 'db'>,
  storeId: string,
  { object, id, client_reference_id, metadata, payment_intent }: EventObject,
): Promise<string | null> {
  const named = client_reference_id ?? metadata?.waybill_payment ?? '';
  if (named !== '' && (await findSession(db, storeId, named))) return named;
  const intent =
    object === 'payment_intent'
      ? id
      : typeof payment_intent === 'string'
        ? payment_intent
        : payment_intent?.id;
  return intent ? findPaymentOfIntent(db, storeId, intent) : null;
}
