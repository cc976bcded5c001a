import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, metrics, ReportedError, rateLimited } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { type MailOutcome, type MailRow, releaseMails, storeOutcomesAndClaim } from '../mail/queries.ts';
import { MailRefused, maxConcurrentMails } from '../mail/transport.ts';
import { composeMail, type MailFacts, readMailFacts } from './compose.ts';

const mailsEnded = new Counter({
  name: 'waybill_mails_total',
  help: 'Attempts to send a mail: sent, failed (it is tried again), dead (given up), dropped (nobody is to have it any more), putOff (its sender may mail no more outsiders today).',
  labelNames: ['outcome'],
  registers: [metrics],
});
/**
 * How long a copy owns a mail that it claimed. Afterwards another copy claims it, and sends a mail again whose outcome
 * was not stored.
 */
const leaseSeconds = 120;
/** Time limit for sending one mail, well within the lease. */
const sendMs = 60_000;
/** How long a stopping service waits for mails that are being sent. */
const stopMs = 5_000;

/** How often a copy with free capacity looks for more mails while others are being sent. */
const lookAgainMs = 1_000;

/**
 * How long the task waits for further mails to end after one has ended, so that a single statement stores their
 * outcomes and claims the next mails.
 */
const batchDelayMs = 10;

type Report = ReturnType<typeof rateLimited>;

/**
 * Creates the task that sends due mails. It claims as many as it has capacity for, looks up their facts together, and
 * sends each on its own, so a slow server delays no other mail. `decisions.md 15.1`.
 */
export function mailTask(context: Context): () => Promise<void> {
  const { db, stopping } = context;
  const report = rateLimited(context.log);
  let leasesAreOurs = !context.bus.isSingleProcess;
  // Outcomes stay here until they are stored, so that mails that went out while the database was unreachable are not
  // sent again.
  const ended: MailOutcome[] = [];

  /** Stores outcomes, and starts as many mails as there is capacity for. Returns whether there was anything to do. */
  async function sendDueMails(sending: Set<Promise<void>>): Promise<boolean> {
    const outcomes = [...ended];
    const capacity = stopping.aborted ? 0 : maxConcurrentMails - sending.size;
    const mails = await storeOutcomesAndClaim(db, outcomes, capacity, leaseSeconds);
    ended.splice(0, outcomes.length);
    const facts = mails.length > 0 ? readMailFacts(context, mails) : null;
    for (const mail of mails) {
      const attempt = sendMail(context, facts!, mail, report).then((end) => {
        if (end) ended.push(end);
        sending.delete(attempt);
      });
      sending.add(attempt);
    }
    return outcomes.length > 0 || mails.length > 0;
  }

  return async () => {
    if (stopping.aborted) return;
    if (!leasesAreOurs) await releaseMails(db);
    leasesAreOurs = true;
    const sending = new Set<Promise<void>>();
    try {
      while ((await sendDueMails(sending)) || sending.size > 0) {
        if (sending.size === 0) continue;
        await Promise.race([...sending, sleep(lookAgainMs, undefined, { ref: false })]);
        if (sending.size > 0) await sleep(batchDelayMs);
      }
    } finally {
      await Promise.all(sending);
    }
  };
}

/**
 * Sends a mail and returns the outcome; null if the attempt never began, so that the mail returns when its lease ends.
 */
async function sendMail(
  context: Context,
  facts: Promise<MailFacts>,
  mail: MailRow,
  report: Report,
): Promise<MailOutcome | null> {
  const { config, state, stopping } = context;
  const { id, template, failures } = mail;
  const leaving = new AbortController();
  const leave = () => setTimeout(() => leaving.abort(), stopMs).unref();
  stopping.addEventListener('abort', leave, { once: true });
  try {
    const outgoing = await composeMail(context, await facts, mail);
    if (outgoing && 'inSeconds' in outgoing) {
      mailsEnded.inc({ outcome: 'putOff' });
      return { id, outcome: 'released', inSeconds: outgoing.inSeconds };
    }
    if (!outgoing) {
      mailsEnded.inc({ outcome: 'dropped' });
      return { id, outcome: 'dropped' };
    }
    await state.mail.send(outgoing, AbortSignal.any([AbortSignal.timeout(sendMs), leaving.signal]));
    mailsEnded.inc({ outcome: 'sent' });
    return { id, outcome: 'sent' };
  } catch (err) {
    // The database is unreachable. Nothing was tried, and the mail returns when its lease ends.
    if (err instanceof ReportedError) return null;
    if (leaving.signal.aborted) return { id, outcome: 'released' };
    const { message: error, isFinal } =
      err instanceof MailRefused ? err : new MailRefused(getErrorCode(err), false);
    const inSeconds = config.mailRetryDelays[failures];
    const isDead = isFinal || inSeconds === undefined;
    report({ mail: id, template, error, isDead }, 'a mail was not sent');
    mailsEnded.inc({ outcome: isDead ? 'dead' : 'failed' });
    return isDead ? { id, outcome: 'dead', error } : { id, outcome: 'failed', error, inSeconds };
  } finally {
    stopping.removeEventListener('abort', leave);
  }
}

/** Returns an error's code instead of its message, which could contain an address. */
const getErrorCode = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error as Error).name;
