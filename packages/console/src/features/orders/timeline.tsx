import { useQueries, useQuery } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import type { ReactNode } from 'react';
import { useStore } from '../../api/me.ts';
import { usePaymentStateTexts } from '../../shell/payment-states.ts';
import { Failure } from '../../shell/problems.tsx';
import { useFormats } from '../../texts/format.ts';
import { TextLink } from '../../ui/button.tsx';
import { Card, Skeleton } from '../../ui/layout.tsx';
import {
  auditAtQuery,
  auditQuery,
  documentsQuery,
  fulfillmentsQuery,
  mailsQuery,
  notesQuery,
  refundsQuery,
  returnsQuery,
} from './after-sale-queries.ts';
import { useAfterSaleTexts } from './after-sale-texts.ts';
import style from './orders.module.css';
import { unitsText } from './parcels.tsx';
import { type Order, orderPaymentsQuery } from './queries.ts';
import { useOrderTexts } from './texts.ts';

type AuditEntry = Model<'AuditEntry'>;

/** An entry of the timeline. */
interface Happening {
  id: string;
  at: string;
  what: ReactNode;
  details?: readonly (string | null | undefined | false)[];
  /** Name of the actor; null if unknown. */
  who: string | null;
}

/** Maximum time between an event and its audit entry, in milliseconds. Both are written in one transaction. */
const sameMs = 3_000;

/**
 * Finds the audit entry for something that happened to a target at a time. An entry about the order's state counts as
 * well: `order.fulfillmentChanged`, for example, creates a fulfilment.
 */
function entryOf(
  entries: readonly AuditEntry[],
  at: string,
  id: string,
  state?: { orderId: string; action: AuditEntry['action'] },
): AuditEntry | undefined {
  const distance = (entry: AuditEntry) => Math.abs(Date.parse(entry.at) - Date.parse(at));
  return entries
    .filter(
      ({ target, action }) => target.id === id || (target.id === state?.orderId && action === state.action),
    )
    .filter((entry) => distance(entry) < sameMs)
    .sort((one, other) => distance(one) - distance(other))[0];
}

/** Maximum number of older moments whose audit entries are read. */
const maxMoments = 20;

/** Returns a period around each instant, newest first. Overlapping periods are merged. */
function momentsOf(instants: readonly string[]): { since: string; until: string }[] {
  const moments: { since: number; until: number }[] = [];
  for (const at of instants.map((instant) => Date.parse(instant)).sort((one, other) => other - one)) {
    const last = moments.at(-1);
    if (last && at + sameMs >= last.since) last.since = at - sameMs;
    else moments.push({ since: at - sameMs, until: at + sameMs });
  }
  return moments.slice(0, maxMoments).map(({ since, until }) => ({
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
  }));
}

/**
 * Reads the audit entries that may name the actors: the newest ones and, for older events of the order, those around
 * each event.
 */
function useAuditEntries(order: Order, instants: readonly string[]): AuditEntry[] {
  const store = useStore();
  const { data } = useQuery({ ...auditQuery(store.id, order.updatedAt), enabled: store.manages });
  const newest = data?.entries ?? [];
  const oldest = data?.nextCursor ? newest.at(-1)!.at : null;
  const before = oldest === null ? [] : instants.filter((at) => at <= oldest);
  return useQueries({
    queries: momentsOf(before).map((moment) => auditAtQuery(store.id, moment)),
    combine: (results) => {
      const entries = [...newest, ...results.flatMap((result) => result.data ?? [])];
      return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
    },
  });
}

/** The history of an order, newest first, with the actors. */
export function Timeline({ order }: { order: Order }) {
  const words = useOrderTexts();
  const store = useStore();
  const { id } = order;
  const parts = {
    payments: useQuery(orderPaymentsQuery(store.id, id)),
    fulfillments: useQuery(fulfillmentsQuery(store.id, id)),
    refunds: useQuery(refundsQuery(store.id, id)),
    returns: useQuery(returnsQuery(store.id, id)),
    documents: useQuery(documentsQuery(store.id, id)),
    notes: useQuery(notesQuery(store.id, id)),
    mails: useQuery(mailsQuery(store.id, id)),
  };
  const formats = useFormats();
  const known: Parts = {
    payments: parts.payments.data?.payments ?? [],
    fulfillments: parts.fulfillments.data?.fulfillments ?? [],
    refunds: parts.refunds.data?.refunds ?? [],
    returns: parts.returns.data?.returns ?? [],
    documents: parts.documents.data?.documents ?? [],
    notes: parts.notes.data?.notes ?? [],
    mails: parts.mails.data?.orderMails ?? [],
  };
  // The audit log only adds the actors; without it, the timeline is still complete.
  const entries = useAuditEntries(order, instantsOf(order, known));
  const happenings = useHappenings(order, entries, known);
  const all = Object.values(parts);
  const failed = all.find(({ error, data }) => error && !data);
  return (
    <div className={style.screenOnly}>
      <Card title={words.timeline}>
        {failed && <Failure error={failed.error} onRetry={() => void failed.refetch()} />}
        {!failed && all.some(({ data }) => !data) && <Skeleton lines={3} />}
        <ol className={style.timeline}>
          {happenings.map(({ id, at, what, details = [], who }) => (
            <li key={id}>
              {what}
              {details.map((detail) => detail && <small key={detail}>{detail}</small>)}
              <small>{[formats.dateTime(at), who].filter(Boolean).join(' · ')}</small>
            </li>
          ))}
        </ol>
      </Card>
    </div>
  );
}

interface Parts {
  payments: readonly Model<'Payment'>[];
  fulfillments: readonly Model<'Fulfillment'>[];
  refunds: readonly Model<'Refund'>[];
  returns: readonly Model<'Return'>[];
  documents: readonly Model<'OrderDocument'>[];
  notes: readonly Model<'OrderNote'>[];
  mails: readonly Model<'OrderMail'>[];
}

/** The times of all events that a person may have caused. */
const instantsOf = (order: Order, parts: Parts): string[] => [
  order.updatedAt,
  ...parts.payments.flatMap(({ entries }) => entries.map(({ at }) => at)),
  ...[...parts.fulfillments, ...parts.returns].flatMap(({ createdAt, updatedAt }) => [createdAt, updatedAt]),
  ...parts.refunds.map(({ createdAt }) => createdAt),
  ...parts.documents.map(({ issuedAt }) => issuedAt),
];

function useHappenings(order: Order, entries: readonly AuditEntry[], parts: Parts): Happening[] {
  const words = useOrderTexts();
  const more = useAfterSaleTexts();
  const states = usePaymentStateTexts();
  const formats = useFormats();
  const money = (cents: number) => formats.money(cents, order.currency);
  const units = (lines: readonly { variantId: string; quantity: number }[]) =>
    unitsText(order, lines, formats.number);
  const nameOf = ({ actor, action }: AuditEntry) =>
    // Only a customer can request a return without signing in.
    actor.type === 'system' && action === 'return.created'
      ? more.byCustomer
      : (actor.name ?? more.actors[actor.type]);
  const whoOf = (at: string, id: string, action?: AuditEntry['action']) => {
    const entry = entryOf(entries, at, id, action && { orderId: order.id, action });
    return entry ? nameOf(entry) : null;
  };

  const paid = parts.payments.flatMap((payment): Happening[] =>
    payment.entries
      // Refunds have entries of their own with their details.
      .filter(({ kind }) => kind !== 'refunded' || parts.refunds.length === 0)
      .map((entry) => ({
        id: entry.id,
        at: entry.at,
        what:
          entry.kind === 'noted'
            ? more.notedAs(words.payments[entry.status as Order['payment']])
            : more.paymentDid(states.entries[entry.kind], money(entry.amountCents)),
        details: entry.kind === 'noted' ? [] : [payment.method ?? states.providers[payment.provider]],
        who: whoOf(entry.at, payment.id, 'order.paymentChanged'),
      })),
  );
  const sent = parts.fulfillments.flatMap((parcel): Happening[] => {
    const carrier = more.carriers[parcel.carrier as keyof typeof more.carriers] ?? parcel.carrier;
    const first = {
      id: parcel.id,
      at: parcel.createdAt,
      what: more.sentItems(units(parcel.lines)),
      details: [[carrier, parcel.trackingNumber].filter(Boolean).join(' ')],
      who: whoOf(parcel.createdAt, parcel.id, 'order.fulfillmentChanged'),
    };
    if (parcel.status === 'shipped') return [first];
    const last = {
      id: `${parcel.id} ${parcel.status}`,
      at: parcel.updatedAt,
      what: more.parcelIs(more.parcelStates[parcel.status], units(parcel.lines)),
      who: whoOf(parcel.updatedAt, parcel.id, 'order.fulfillmentChanged'),
    };
    return [first, last];
  });
  const refunded = parts.refunds.map((refund): Happening => {
    const { lines, reason, state } = refund;
    return {
      id: refund.id,
      at: refund.createdAt,
      what: more.refundOf(money(refund.amountCents)),
      details: [lines.length > 0 && units(lines), reason, state !== 'done' && more.refundStates[state]],
      who: whoOf(refund.createdAt, refund.id, 'order.paymentChanged'),
    };
  });
  const returned = parts.returns.flatMap((each): Happening[] => {
    const made = {
      id: each.id,
      at: each.createdAt,
      what: (each.kind === 'withdrawal' ? more.withdrawalOf : more.returnOf)(units(each.lines)),
      who: whoOf(each.createdAt, each.id),
    };
    if (each.updatedAt === each.createdAt) return [made];
    const moved = {
      id: `${each.id} ${each.state}`,
      at: each.updatedAt,
      what: more.returnIs(more.returnStates[each.state]),
      details: [each.note],
      who: whoOf(each.updatedAt, each.id),
    };
    return [made, moved];
  });
  const issued = parts.documents.map(
    ({ id, kind, number, issuedAt, url }): Happening => ({
      id,
      at: issuedAt,
      what: (
        <TextLink href={url} target="_blank" rel="noreferrer">
          {[more.documentKinds[kind], number].filter(Boolean).join(' ')}
        </TextLink>
      ),
      who: whoOf(issuedAt, id),
    }),
  );
  const noted = parts.notes.map(
    ({ id, text, userName, createdAt }): Happening => ({
      id,
      at: createdAt,
      what: <span className={style.noteText}>{more.noteSays(text)}</span>,
      who: userName ?? more.formerUser,
    }),
  );
  const mailed = parts.mails
    .filter(({ state }) => state !== 'queued')
    .map(
      ({ kind, partId, state, at }, i): Happening => ({
        id: `mail ${kind} ${partId} ${at} ${i}`,
        at,
        what: (state === 'sent' ? more.mailSent : more.mailFailed)(more.mailKinds[kind]),
        who: more.actors.system,
      }),
    );
  // Audit entries that no other part of the order shows.
  const changed = entries
    .filter(({ target, action }) => target.id === order.id && action in more.orderActions)
    .map(
      (entry): Happening => ({
        id: entry.id,
        at: entry.at,
        what: more.orderActions[entry.action as keyof typeof more.orderActions],
        who: nameOf(entry),
      }),
    );
  const placed: Happening = { id: order.id, at: order.createdAt, what: words.placedAt, who: null };
  return [
    ...paid,
    ...sent,
    ...refunded,
    ...returned,
    ...issued,
    ...noted,
    ...mailed,
    ...changed,
    placed,
  ].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
}
