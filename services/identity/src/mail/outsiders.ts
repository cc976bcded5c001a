import { hashCredential } from '@waybill/contracts';
import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../config.ts';
import type { Tables } from '../tables.ts';
import {
  countAddressOfDay,
  deleteOldOutsiderDays,
  insertMailsToOwners,
  isVerifiedMember,
  markNotified,
} from './outsider-queries.ts';
import { insertMailsToUsers } from './queries.ts';

/** Number of different outsiders that a new sender may mail per day: `decisions.md 19.12`. */
const maxOutsidersPerDay = 50;
const newForMs = 7 * 86_400_000;
/** How long a mail waits for an owner of its sender to verify an address. */
const maxWaitMs = 7 * 86_400_000;

/** The decision about a mail to an outsider: send it, drop it, or try again after some seconds. */
export type OutsiderDecision = 'send' | 'drop' | { inSeconds: number };

/** The sender of a mail to an outsider: a store or an organisation. */
export interface OutsiderSender {
  id: string;
  name: string;
  createdAt: Date | null;
  /** Whether one of its owners has a verified address. */
  isTrusted: boolean;
  /** The user who is told about waiting mails of an organisation. Null for stores, whose owners this service knows. */
  notifiedUserId: string | null;
}

/**
 * Decides whether a store or an organisation may send a mail to an address now. Without a verified owner it may mail
 * only its verified members. Its other mails wait from day to day, for at most a week, because owners often verify soon
 * after their first order. A new sender may mail only a few outsiders a day; the other mails wait for the next day, and
 * the owners are told once a day. `decisions.md 19.12`.
 */
export async function decideOutsiderDelivery(
  { db, transaction }: Pick<Context, 'db' | 'transaction'>,
  sender: OutsiderSender,
  { address, createdAt, isCounted = true }: { address: string; createdAt: Date; isCounted?: boolean },
): Promise<OutsiderDecision> {
  const isNew = sender.createdAt !== null && Date.now() - sender.createdAt.getTime() < newForMs;
  if (sender.isTrusted && !isNew) return 'send';
  if (await isVerifiedMember(db, sender.id, address)) return 'send';
  if (!sender.isTrusted) {
    const hasWaited = Date.now() - createdAt.getTime() >= maxWaitMs;
    return hasWaited ? 'drop' : { inSeconds: secondsToNextDay(Date.now()) };
  }
  if (!isCounted) return 'send';
  const { isAdmitted, isNotified } = await countAddressOfDay(
    db,
    sender.id,
    hashCredential(address),
    maxOutsidersPerDay,
  );
  if (isAdmitted) return 'send';
  if (!isNotified) await transaction((trx) => notifyOwners(trx, sender));
  return { inSeconds: secondsToNextDay(Date.now()) };
}

async function notifyOwners(trx: Transaction<Tables>, sender: OutsiderSender): Promise<void> {
  // If two mails get here at once, only one of them tells the owners.
  if (!(await markNotified(trx, sender.id))) return;
  const mail = { template: 'mailsPutOff', data: { senderName: sender.name } };
  if (sender.notifiedUserId === null) await insertMailsToOwners(trx, sender.id, mail);
  else await insertMailsToUsers(trx, [sender.notifiedUserId], mail);
}

const dayMs = 86_400_000;
/** Spreads the waiting mails over this time, so that they are not all due in the first second of a day. */
const staggerSeconds = 1_800;

/** Returns the seconds to a random moment soon after the next midnight in UTC. */
const secondsToNextDay = (now: number): number =>
  Math.ceil((dayMs - (now % dayMs)) / 1000) + 1 + Math.floor(Math.random() * staggerSeconds);

const sweepBatch = 1000;

/** Deletes counts from before yesterday. Returns true if there may be more. */
export const sweepOutsiderDays = ({ db }: { db: Kysely<Tables> }): Promise<boolean> =>
  deleteOldOutsiderDays(db, sweepBatch);
