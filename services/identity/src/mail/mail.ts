import type { EventData, EventMessage, MailRequested, OrderCreated, RequestedMail } from '@waybill/contracts';
import { claimNewEvents, Gauge, metrics } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context } from '../config.ts';
import type { Tables } from '../tables.ts';
import { sweepOutsiderDays } from './outsiders.ts';
import {
  deleteOldMails,
  insertMail,
  insertMailsOfOrders,
  insertMailsToAdmins,
  insertMailsToUsers,
  measureMails,
} from './queries.ts';

const mailsQueued = new Gauge({
  name: 'waybill_mail_queued_mails',
  help: 'Mails that are to be sent, counted to 10,000.',
  registers: [metrics],
});
const oldestDueSeconds = new Gauge({
  name: 'waybill_mail_oldest_due_seconds',
  help: 'For how long the oldest of them has been due; 0 when none is.',
  registers: [metrics],
});
const mailsDead = new Gauge({
  name: 'waybill_mail_dead_mails',
  help: 'Mails that were given up within a day, counted to 10,000.',
  registers: [metrics],
});

/**
 * A mail of identity's own, with its recipient. An address is in lower case; its user is looked up when the mail is
 * sent.
 */
export type NewMail =
  | { template: 'verify' | 'passwordChanged' | 'totpOn' | 'totpOff'; userId: string }
  | { template: 'recoveryCodeUsed'; userId: string; data: { left: string } }
  | { template: 'reset'; address: string }
  | { template: 'accountDeleted'; address: string; data: { locale: string } }
  | {
      template: 'invitation';
      address: string;
      senderId: string;
      data: { storeId: string; invitationId: string; storeName: string; role: string };
    };

/** Queues a mail, which is sent at least once if, and only if, the transaction commits. `decisions.md 15.1`. */
export function queueMail(db: Context['db'], mail: NewMail): Promise<void> {
  return insertMail(db, {
    template: mail.template,
    user_id: 'userId' in mail ? mail.userId : null,
    address: 'address' in mail ? mail.address : null,
    sender_id: 'senderId' in mail ? mail.senderId : null,
    data: 'data' in mail ? mail.data : {},
  });
}

/** Queues the mails that other services request, each once, to their current recipients. `decisions.md 15.1, 12.8`. */
export async function queueRequestedMails(context: Context, events: EventMessage[]): Promise<void> {
  await context.transaction(async (trx) => {
    for (const event of await claimNewEvents(trx, 'mail', events))
      await queueRequestedMail(trx, JSON.parse(event.data));
  });
}

async function queueRequestedMail(
  trx: Transaction<Tables>,
  { mail, audience, senderId }: EventData<typeof MailRequested>,
): Promise<void> {
  const { template, data }: RequestedMail = mail;
  if ('storeAdmins' in audience) await insertMailsToAdmins(trx, audience.storeAdmins, { template, data });
  else if ('users' in audience) await insertMailsToUsers(trx, audience.users, { template, data });
  else
    await insertMail(trx, {
      template,
      user_id: null,
      address: audience.address,
      sender_id: senderId ?? null,
      data,
    });
}

/**
 * Queues the mails about new orders, once per order: to the customer, and to the members who want them. Their contents
 * are looked up when they are sent, so no customer data is stored here. `decisions.md 17.4`.
 */
export async function queueOrderMails(context: Context, events: EventMessage[]): Promise<void> {
  await context.transaction(async (trx) => {
    const fresh = await claimNewEvents(trx, 'order-mails', events);
    const orders = fresh.map(({ storeId, data }) => {
      const { order }: EventData<typeof OrderCreated> = JSON.parse(data);
      return { storeId, orderId: order.id };
    });
    if (orders.length > 0) await insertMailsOfOrders(trx, orders);
  });
}

const sweepBatch = 1000;

/** Deletes old mails: sent ones after a day, given-up ones after 30 days. Returns true if there may be more. */
export async function sweepMails({ db }: Context): Promise<boolean> {
  const areMore = [await deleteOldMails(db, sweepBatch), await sweepOutsiderDays({ db })];
  return areMore.includes(true);
}

/** Sets the gauges of waiting mails and of mails that were given up. */
export async function measureMail({ db }: Context): Promise<void> {
  const { queued, oldestSeconds, dead } = await measureMails(db);
  mailsQueued.set(queued);
  oldestDueSeconds.set(oldestSeconds);
  mailsDead.set(dead);
}
