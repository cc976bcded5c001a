import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, metrics, ReportedError, rateLimited } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { type End, endAndClaim, type MailRow, releaseMails } from '../mail/queries.ts';
import { MailRefused, mailsAtOnce } from '../mail/transport.ts';
import { composeMail, type Facts, lookUpFacts } from './compose.ts';

const mailsEnded = new Counter({
  name: 'waybill_mails_total',
  help: 'Attempts to send a mail: sent, failed (it is tried again), dead (given up), dropped (nobody is to have it any more), putOff (its sender may mail no more outsiders today).',
  labelNames: ['outcome'],
  registers: [metrics],
});
/** How long a mail is a copy's own. Then another takes it: what was sent and not noted so is sent once more. */
const leaseSeconds = 120;
/** How long sending one may take, well within the lease. */
const sendMs = 60_000;
/** How long a stop waits for mails on their way. */
const stopMs = 5_000;

/** How often a copy that has room looks again while others are on their way. */
const lookAgainMs = 1_000;

/** For how long it waits for more of them to end, when one has: what has ended, and what comes next, is one statement. */
const gatherMs = 10;

type Report = ReturnType<typeof rateLimited>;

/**
 * Makes the task that sends what is due, some at once: as many as have room are taken and looked up together, and then each
 * goes for itself. One that a server holds up keeps up no others. `decisions.md 15.1`.
 */
export function mailTask(context: Context): () => Promise<void> {
  const { db, stopping } = context;
  const report = rateLimited(context.log);
  let leasesAreOurs = !context.bus.soleProcess;
  // Kept until it is noted: with the database away, what was sent meanwhile is not sent again.
  const ended: End[] = [];

  /** Notes what has ended, and begins what there is room for. Whether there was anything to do. */
  async function goOn(sending: Set<Promise<void>>): Promise<boolean> {
    const noting = [...ended];
    const room = stopping.aborted ? 0 : mailsAtOnce - sending.size;
    const mails = await endAndClaim(db, noting, room, leaseSeconds);
    ended.splice(0, noting.length);
    const facts = mails.length > 0 ? lookUpFacts(context, mails) : null;
    for (const mail of mails) {
      const sent = sendMail(context, facts!, mail, report).then((end) => {
        if (end) ended.push(end);
        sending.delete(sent);
      });
      sending.add(sent);
    }
    return noting.length > 0 || mails.length > 0;
  }

  return async () => {
    if (stopping.aborted) return;
    if (!leasesAreOurs) await releaseMails(db);
    leasesAreOurs = true;
    const sending = new Set<Promise<void>>();
    try {
      while ((await goOn(sending)) || sending.size > 0) {
        if (sending.size === 0) continue;
        await Promise.race([...sending, sleep(lookAgainMs, undefined, { ref: false })]);
        if (sending.size > 0) await sleep(gatherMs);
      }
    } finally {
      await Promise.all(sending);
    }
  };
}

/** Sends a mail, and tells how that ended; null where it has not begun, and the end of its lease brings it back. */
async function sendMail(
  context: Context,
  facts: Promise<Facts>,
  mail: MailRow,
  report: Report,
): Promise<End | null> {
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
    // The database is away: the mail is back when its lease is over, and nothing has been tried.
    if (err instanceof ReportedError) return null;
    if (leaving.signal.aborted) return { id, outcome: 'released' };
    const { message: error, isFinal } =
      err instanceof MailRefused ? err : new MailRefused(codeOf(err), false);
    const inSeconds = config.mailRetryDelays[failures];
    const isDead = isFinal || inSeconds === undefined;
    report({ mail: id, template, error, isDead }, 'a mail was not sent');
    mailsEnded.inc({ outcome: isDead ? 'dead' : 'failed' });
    return isDead ? { id, outcome: 'dead', error } : { id, outcome: 'failed', error, inSeconds };
  } finally {
    stopping.removeEventListener('abort', leave);
  }
}

/** What an error may be called where its message could hold an address. */
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? (error as Error).name;
