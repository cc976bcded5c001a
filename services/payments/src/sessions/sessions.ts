import { newId, type PaymentFailure, type SessionReply, type SessionRequest } from '@waybill/contracts';
import type { Context } from '../config.ts';
import { recordFacts } from '../facts/facts.ts';
import { canCallProviders } from '../hold/hold.ts';
import { nextLookUp } from '../lookups/schedule.ts';
import { providerCalls } from '../metrics.ts';
import { ProviderTimeout } from '../providers/port.ts';
import type { Providers } from '../providers/providers.ts';
import {
  findAnyMethod,
  findSession,
  findSessionWithMethod,
  insertSession,
  type OpenedSession,
  updateSession,
} from '../records/session-queries.ts';

/**
 * Opens the session of a payment, or returns the existing one. Orders uses the payment's id, and a provider creates
 * only one session for it, however often it is asked.
 */
export async function openSession(
  context: Context,
  providers: Providers,
  request: SessionRequest,
): Promise<SessionReply> {
  const { db, config } = context;
  const { storeId, paymentId } = request;
  const method = await findAnyMethod(db, storeId, request.methodId);
  if (!method || method.provider === 'manual') return { redirectUrl: null };
  const now = new Date();
  const inserted = await insertSession(db, storeId, {
    id: newId('paymentSession'),
    payment_id: paymentId,
    order_id: request.orderId,
    method_id: method.id,
    provider: method.provider,
    amount_cents: request.amountCents,
    currency: request.currency,
    description: request.description,
    locale: request.locale,
    return_url: request.returnUrl,
    is_test: method.is_test,
    capture: method.capture,
    started_at: now,
    next_lookup_at: nextLookUp(config.lookUpDelays, now, now),
    created_at: now,
    updated_at: now,
  });
  const session = inserted ?? (await findSession(db, storeId, paymentId))!;
  if (session.state === 'ended') return { redirectUrl: null };
  if (session.redirect_url !== null) return { redirectUrl: session.redirect_url };
  if (!(await canCallProviders(context))) return { redirectUrl: null };
  return { redirectUrl: await createAtProvider(context, providers, { session, method }) };
}

async function createAtProvider(
  context: Context,
  providers: Providers,
  opened: OpenedSession,
): Promise<string | null> {
  const { session } = opened;
  const { store_id: storeId, payment_id: paymentId, provider } = session;
  try {
    const answer = await providers[provider].createSession(opened);
    if ('refused' in answer) {
      providerCalls.inc({ provider, call: 'session', outcome: 'refused' });
      await failSession(context, opened, answer.refused);
      return null;
    }
    providerCalls.inc({ provider, call: 'session', outcome: 'done' });
    const { reference, redirectUrl } = answer;
    if (reference !== null)
      await updateSession(context.db, storeId, paymentId, { reference, redirect_url: redirectUrl });
    const now = await findSessionWithMethod(context.db, storeId, paymentId);
    if (now?.session.state !== 'ended') return redirectUrl;
    // The session was ended while the provider was creating it.
    await providers[provider].takeStep(now, { id: `${paymentId}-unwanted`, kind: 'end', amountCents: 0 });
    return null;
  } catch (error) {
    if (!(error instanceof ProviderTimeout)) throw error;
    providerCalls.inc({ provider, call: 'session', outcome: 'silent' });
    return null;
  }
}

/** Ends a session that was never opened at its provider. */
export async function failSession(
  context: Pick<Context, 'write'>,
  { session }: Pick<OpenedSession, 'session'>,
  failure: PaymentFailure,
): Promise<void> {
  const { store_id: storeId, payment_id: paymentId, id } = session;
  const fact = {
    paymentId,
    kind: 'failed' as const,
    amountCents: 0,
    reference: id,
    at: new Date().toISOString(),
    method: null,
    failure,
    stepId: null,
  };
  await recordFacts(context, storeId, [fact], ({ trx }) =>
    updateSession(trx, storeId, paymentId, { state: 'ended', redirect_url: null, next_lookup_at: null }),
  );
}
