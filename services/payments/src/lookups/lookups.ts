import type { PaymentFact } from '@waybill/contracts';
import type { Context } from '../config.ts';
import { recordFacts } from '../facts/facts.ts';
import { mayCallProviders } from '../hold/hold.ts';
import { lookUpDelay, oldestUndecided, providerCalls } from '../metrics.ts';
import { ProviderRefused, ProviderSilent } from '../providers/port.ts';
import type { Providers } from '../providers/providers.ts';
import { listFacts } from '../records/fact-queries.ts';
import {
  claimDueSession,
  type DueSession,
  findOldestUndecided,
  findOpened,
  listDueSessions,
  setNextLookUp,
  updateSession,
} from '../records/session-queries.ts';
import { nextLookUp } from './schedule.ts';

const atOnce = 50;

/** Time after which another copy of the service starts a claimed look-up again. */
const claimMs = 45_000;

/** Delay before a silent provider is asked again, unless a look-up is due earlier. */
const silentMs = 30_000;

/**
 * The task that asks providers about payments that are undecided, or about which an event was reported. It returns true
 * if there may be more.
 */
export function lookUpTask(context: Context, providers: Providers): () => Promise<boolean> {
  return async () => {
    if (!(await mayCallProviders(context))) return false;
    const due = await listDueSessions(context.db, atOnce);
    lookUpDelay.set(secondsSince(due[0]?.next_lookup_at ?? null));
    await Promise.all(
      due.map((session) =>
        lookUpDue(context, providers, session).catch((err: unknown) =>
          context.log.warn({ err, paymentId: session.payment_id }, 'a payment could not be looked up'),
        ),
      ),
    );
    return due.length === atOnce;
  };
}

/** The task that measures how long payments have been undecided. */
export function undecidedTask({ db }: Context): () => Promise<void> {
  return async () => oldestUndecided.set(secondsSince(await findOldestUndecided(db)));
}

const secondsSince = (instant: Date | null) =>
  instant ? Math.max(0, (Date.now() - instant.getTime()) / 1000) : 0;

async function lookUpDue(context: Context, providers: Providers, due: DueSession): Promise<void> {
  const { db, config } = context;
  const { store_id: storeId, payment_id: paymentId } = due;
  const claimedUntil = new Date(Date.now() + claimMs);
  if (!(await claimDueSession(db, due, claimedUntil))) return;
  const startedAt = (await findOpened(db, storeId, paymentId))?.session.started_at;
  if (!startedAt) return;
  let isDecided = false;
  let isSilent = false;
  try {
    isDecided = await lookUp(context, providers, storeId, paymentId);
  } catch (error) {
    // A provider that refuses, for example because the key belongs to another account, is asked again only on schedule.
    if (!(error instanceof ProviderSilent || error instanceof ProviderRefused)) throw error;
    isSilent = error instanceof ProviderSilent;
  }
  const now = new Date();
  const scheduled = isDecided ? null : nextLookUp(config.lookUpDelays, startedAt, now);
  const again = new Date(now.getTime() + silentMs);
  const next = isSilent && (!scheduled || scheduled > again) ? again : scheduled;
  await setNextLookUp(db, storeId, paymentId, claimedUntil, next);
}

/**
 * Asks a provider for all current facts of a payment and records them. Returns whether the payment is decided: after
 * that, only requests of this system and reported events change it.
 * @throws ProviderSilent
 */
export async function lookUp(
  { db, write }: Pick<Context, 'db' | 'write'>,
  providers: Providers,
  storeId: string,
  paymentId: string,
): Promise<boolean> {
  const opened = await findOpened(db, storeId, paymentId);
  if (!opened) return true;
  const { provider } = opened.session;
  const found = await providers[provider].lookUp(opened).catch((error: unknown) => {
    providerCalls.inc({ provider, call: 'lookUp', outcome: 'silent' });
    throw error;
  });
  providerCalls.inc({ provider, call: 'lookUp', outcome: 'done' });
  await recordFacts({ write }, storeId, found.facts, ({ trx }) =>
    updateSession(trx, storeId, paymentId, {
      looked_up_at: new Date(),
      ...(found.intent !== null && { intent: found.intent }),
      ...(found.isEnded && { state: 'ended' }),
    }),
  );
  const facts = await listFacts(db, storeId, paymentId);
  return isDecided(facts.map(({ kind }) => kind as PaymentFact['kind']));
}

/** Whether the facts decide a payment: it took money, or never will. */
export const isDecided = (kinds: readonly PaymentFact['kind'][]): boolean =>
  kinds.some((kind) => kind === 'captured' || kind === 'voided' || kind === 'failed');
