import { createHash } from 'node:crypto';
import { type PaymentFact, type PaymentFailure, type Principal, parseWebAddress } from '@waybill/contracts';
import { isLoopback } from '@waybill/kernel';
import type { Write } from '../config.ts';
import { errors } from '../errors.ts';
import { recordFactsWith } from '../facts/facts.ts';
import { type FactRow, listFacts } from '../records/fact-queries.ts';
import {
  findAnyMethod,
  findSessionById,
  lockSession,
  type SessionRow,
  updateSession,
} from '../records/session-queries.ts';
import { answerStep, hasAnsweredStep, listOpenSteps, type StepRow } from '../records/step-queries.ts';
import type { PaymentSession, SessionReport } from './routes.ts';

/** The kind of step that a report of each status answers. */
const answers = { captured: 'capture', refunded: 'refund', voided: 'void' } as const;

/**
 * Records an app's report on a session, and returns the session: `decisions.md 22.6`. An uninstalled app may report on
 * an open session and answer open requests, `22.1`. Throws `not_found`, `amount_exceeded`, `invalid_body`.
 */
export async function reportSession(
  write: Write,
  storeId: string,
  { appId, isUninstalled }: Extract<Principal, { kind: 'app' }>,
  id: string,
  report: SessionReport,
): Promise<{ paymentSession: PaymentSession }> {
  const { trx } = write;
  const found = await findSessionById(trx, storeId, id);
  const method = found && (await findAnyMethod(trx, storeId, found.method_id));
  if (!found || method?.app_id !== appId) throw errors.not_found();
  const session = (await lockSession(trx, storeId, found.payment_id))!;
  const steps = await listOpenSteps(trx, storeId, session.payment_id);
  const { status, failure } = report;
  const kind = answers[status as keyof typeof answers];
  const step = steps.find((each) => (kind ? each.kind === kind : status === 'failed' && each.kind !== 'end'));
  if (isUninstalled && session.state !== 'open' && !step) throw errors.not_found();
  const known = await listFacts(trx, storeId, session.payment_id);
  const isRepeated =
    !step &&
    report.reference === undefined &&
    (kind !== undefined || status === 'failed') &&
    (await hasAnsweredStep(trx, storeId, session.payment_id, kind ?? null));
  // An app whose answer got lost repeats its report. Its step has already been answered, so the session is returned
  // unchanged.
  if (isRepeated)
    return {
      paymentSession: toSession(
        session,
        known.map((each) => each.kind),
      ),
    };
  const requestedCents = step?.amount_cents ?? session.amount_cents;
  const amountCents = report.amountCents ?? requestedCents;
  const fact = createFact(session, report, amountCents, step);
  const maxCents = Math.min(requestedCents, findMaxAmount(session, fact, known));
  if (amountCents > maxCents) throw errors.amount_exceeded({ fields: { maximumCents: maxCents } });
  const redirectUrl = report.redirectUrl === undefined ? undefined : readRedirectUrl(report.redirectUrl);
  await recordFactsWith(write, storeId, fact ? [fact] : []);
  if (step)
    await answerStep(trx, storeId, step.id, status === 'failed' ? 'refused' : 'done', failure ?? null);
  const isOver = fact !== null && ['captured', 'voided', 'failed'].includes(fact.kind);
  const change = {
    ...(redirectUrl !== undefined && session.state === 'open' && { redirect_url: redirectUrl }),
    ...(isOver && { state: 'ended' as const, next_lookup_at: null }),
  };
  await updateSession(trx, storeId, session.payment_id, change);
  const after = (await lockSession(trx, storeId, session.payment_id))!;
  const kinds = (await listFacts(trx, storeId, session.payment_id)).map((each) => each.kind);
  return { paymentSession: toSession(after, kinds) };
}

/**
 * Returns how much more a report may capture or refund. All reports together may not exceed the session's amount, or
 * the captured amount. A repeated report does not count against itself.
 */
function findMaxAmount(
  { amount_cents: whole }: SessionRow,
  reported: PaymentFact | null,
  known: readonly FactRow[],
): number {
  const sumFacts = (kind: string) =>
    known
      .filter(
        (fact) => fact.kind === kind && (kind !== reported?.kind || fact.reference !== reported.reference),
      )
      .reduce((sum, fact) => sum + fact.amount_cents, 0);
  if (reported?.kind === 'captured') return whole - sumFacts('captured');
  if (reported?.kind === 'refunded') return sumFacts('captured') - sumFacts('refunded');
  return whole;
}

/** Returns the fact in a report; null if the report only contains the address of the payment page. */
function createFact(
  session: SessionRow,
  { status, reference, failure, redirectUrl }: SessionReport,
  amountCents: number,
  step: StepRow | undefined,
): PaymentFact | null {
  if (status === 'pending' && redirectUrl !== undefined) return null;
  const kind = status === 'pending' ? 'processing' : status === 'failed' && step ? 'refused' : status;
  // Without a reference of the app's, the name derives from the request, so that repeating the report yields the same
  // fact.
  const name =
    reference ?? step?.id ?? createHash('sha256').update(`${session.id} ${kind}`).digest('hex').slice(0, 24);
  return {
    paymentId: session.payment_id,
    kind,
    amountCents: kind === 'failed' || kind === 'refused' ? 0 : amountCents,
    reference: kind === 'refused' ? step!.id : name,
    at: new Date().toISOString(),
    method: null,
    failure: failure ?? (status === 'failed' ? unknownFailure : null),
    stepId: step?.id ?? null,
  };
}

const unknownFailure: PaymentFailure = { code: 'failed', message: 'The app reported a failure.' };

/**
 * Reads the address of the payment page. It must be encrypted, because shoppers are sent there, except on a developer's
 * own machine. @throws invalid_body
 */
function readRedirectUrl(text: string): string {
  const url = parseWebAddress(text);
  if (!url || (url.protocol === 'http:' && !isLoopback(url.hostname))) {
    const message = 'must be an https URL, or an http one of this machine, without credentials';
    throw errors.invalid_body({ details: [{ pointer: '/redirectUrl', message }] });
  }
  return url.href;
}

function toSession(session: SessionRow, kinds: readonly string[]): PaymentSession {
  const order = ['refunded', 'captured', 'voided', 'failed', 'authorized'] as const;
  return {
    id: session.id,
    paymentId: session.payment_id,
    orderId: session.order_id,
    amountCents: session.amount_cents,
    currency: session.currency,
    returnUrl: session.return_url,
    redirectUrl: session.redirect_url,
    isTest: session.is_test,
    status: order.find((kind) => kinds.includes(kind)) ?? 'pending',
    createdAt: session.created_at.toISOString(),
    updatedAt: session.updated_at.toISOString(),
  };
}
