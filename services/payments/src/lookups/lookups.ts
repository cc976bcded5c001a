import type { PaymentFact } from '@waybill/contracts';
import type { Context } from '../config.ts';
import { recordFacts } from '../facts/facts.ts';
import { canCallProviders } from '../hold/hold.ts';
import { lookUpDelay, oldestUndecided, providerCalls } from '../metrics.ts';
import { type PaymentProvider, ProviderRefusal, ProviderTimeout } from '../providers/port.ts';
import type { Providers } from '../providers/providers.ts';
import { listFacts } from '../records/fact-queries.ts';
import {
  claimDueSession,
  type DueSession,
  findAnyMethod,
  findOldestUndecided,
  listDueSessions,
  nextLookUpUnlessRescheduled,
  type OpenedSession,
  type SessionRow,
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
    if (!(await canCallProviders(context))) return false;
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
  const claimedUntil = new Date(Date.now() + claimMs);
  const session = await claimDueSession(db, due, claimedUntil);
  const method = session && (await findAnyMethod(db, session.store_id, session.method_id));
  if (!method) return;
  const { store_id: storeId, payment_id: paymentId } = session;
  const found = await ask(providers, { session, method });
  const now = new Date();
  const scheduled = nextLookUp(config.lookUpDelays, session.started_at, now);
  if ('noAnswer' in found) {
    // A provider that refuses, for example because the key belongs to another account, is asked again only on schedule.
    const again = new Date(now.getTime() + silentMs);
    const isSooner = found.noAnswer === 'silent' && (!scheduled || scheduled > again);
    return setNextLookUp(db, storeId, paymentId, claimedUntil, isSooner ? again : scheduled);
  }
  const next = (await isNowDecided(context, session, found.facts)) ? null : scheduled;
  await recordFacts(context, storeId, found.facts, ({ trx }) =>
    updateSession(trx, storeId, paymentId, {
      looked_up_at: now,
      next_lookup_at: nextLookUpUnlessRescheduled(claimedUntil, next),
      ...(found.intent !== null && { intent: found.intent }),
      ...(found.isEnded && { state: 'ended' }),
    }),
  );
}

type Found = Awaited<ReturnType<PaymentProvider['lookUp']>>;

/** Asks a provider for all current facts of a payment. */
async function ask(
  providers: Providers,
  opened: OpenedSession,
): Promise<Found | { noAnswer: 'silent' | 'refused' }> {
  const { provider } = opened.session;
  try {
    const found = await providers[provider].lookUp(opened);
    providerCalls.inc({ provider, call: 'lookUp', outcome: 'done' });
    return found;
  } catch (error) {
    const why =
      error instanceof ProviderTimeout ? 'silent' : error instanceof ProviderRefusal ? 'refused' : null;
    if (why === null) throw error;
    providerCalls.inc({ provider, call: 'lookUp', outcome: why });
    return { noAnswer: why };
  }
}

/**
 * Tells whether these facts and the known ones decide a payment: after that, only requests of this system and reported
 * events change it.
 */
async function isNowDecided(
  { db }: Pick<Context, 'db'>,
  { store_id: storeId, payment_id: paymentId }: SessionRow,
  facts: readonly PaymentFact[],
): Promise<boolean> {
  if (isDecided(facts.map(({ kind }) => kind))) return true;
  const known = await listFacts(db, storeId, paymentId);
  return isDecided(known.map(({ kind }) => kind as PaymentFact['kind']));
}

/** Whether the facts decide a payment: it took money, or never will. */
export const isDecided = (kinds: readonly PaymentFact['kind'][]): boolean =>
  kinds.some((kind) => kind === 'captured' || kind === 'voided' || kind === 'failed');
