import { hashCredential } from '@waybill/contracts';
import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../config.ts';
import type { Tables } from '../tables.ts';
import {
  deleteOldOutsiderDays,
  insertMailsToOwners,
  isVerifiedMember,
  markTold,
  takeFromDay,
} from './outsider-queries.ts';
import { insertMailsToUsers } from './queries.ts';

/** How many different outsiders a sender mails a day while it is new: `decisions.md 19.12`. */
const mostOutsidersADay = 50;
const newForMs = 7 * 86_400_000;
/** How long a mail waits for an owner of its sender to verify an address. */
const mostWaitingMs = 7 * 86_400_000;

/** What a mail to somebody outside is allowed: it goes, it waits for so many seconds, or nobody is to have it. */
export type Verdict = 'send' | 'drop' | { inSeconds: number };

/** Who sends a mail to an outsider: a store, or an organisation. */
export interface OutsiderSender {
  id: string;
  name: string;
  createdAt: Date | null;
  /** One of its owners has a verified address. */
  isTrusted: boolean;
  /** Who is told that mails wait, of an organisation; the owners of a store are known here. */
  toldUserId: string | null;
}

/**
 * Whether a store or an organisation may send a mail to its address now. One whose owner has no verified address mails
 * its verified members alone; other mails wait from day to day, a week at most, because owners often verify soon after
 * their first order. One that is new mails few others a day, what is more waits for the next day, and the owners are
 * told once a day. `decisions.md 19.12`.
 */
export async function judgeOutsider(
  { db, transaction }: Pick<Context, 'db' | 'transaction'>,
  sender: OutsiderSender,
  { address, createdAt, isCounted = true }: { address: string; createdAt: Date; isCounted?: boolean },
): Promise<Verdict> {
  const isNew = sender.createdAt !== null && Date.now() - sender.createdAt.getTime() < newForMs;
  if (sender.isTrusted && !isNew) return 'send';
  if (await isVerifiedMember(db, sender.id, address)) return 'send';
  if (!sender.isTrusted) {
    const hasWaited = Date.now() - createdAt.getTime() >= mostWaitingMs;
    return hasWaited ? 'drop' : { inSeconds: secondsToNextDay(Date.now()) };
  }
  if (!isCounted) return 'send';
  const { isAdmitted, isTold } = await takeFromDay(db, sender.id, hashCredential(address), mostOutsidersADay);
  if (isAdmitted) return 'send';
  if (!isTold) await transaction((trx) => tellOwners(trx, sender));
  return { inSeconds: secondsToNextDay(Date.now()) };
}

async function tellOwners(trx: Transaction<Tables>, sender: OutsiderSender): Promise<void> {
  // Of two at once one tells.
  if (!(await markTold(trx, sender.id))) return;
  const mail = { template: 'mailsPutOff', data: { senderName: sender.name } };
  if (sender.toldUserId === null) await insertMailsToOwners(trx, sender.id, mail);
  else await insertMailsToUsers(trx, [sender.toldUserId], mail);
}

const dayMs = 86_400_000;
/** The mails of a day do not all come due in its first second. */
const spreadSeconds = 1_800;

/** To some moment soon after the next midnight in UTC. */
const secondsToNextDay = (now: number): number =>
  Math.ceil((dayMs - (now % dayMs)) / 1000) + 1 + Math.floor(Math.random() * spreadSeconds);

const sweepBatch = 1000;

/** Deletes what days before yesterday have counted; true: there may be more. */
export const sweepOutsiderDays = ({ db }: { db: Kysely<Tables> }): Promise<boolean> =>
  deleteOldOutsiderDays(db, sweepBatch);
