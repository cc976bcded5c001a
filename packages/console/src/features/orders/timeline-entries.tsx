import type { Model } from '@waybill/sdk';
import type { ReactNode } from 'react';
import { usePaymentStateTexts } from '../../shell/payment-states.ts';
import { getWayName } from '../../shell/payment-ways.ts';
import { useFormats } from '../../texts/format.ts';
import { TextLink } from '../../ui/button.tsx';
import { useAfterSaleTexts } from './after-sale-texts.ts';
import style from './orders.module.css';
import { unitsText } from './parcels.tsx';
import type { Order } from './queries.ts';
import { useOrderTexts } from './texts.ts';
import { type AuditEntry, findAuditEntry } from './timeline-audit.ts';

/** An entry of the timeline. */
export interface TimelineEntry {
  id: string;
  at: string;
  what: ReactNode;
  details?: readonly (string | null | undefined | false)[];
  /** Name of the actor; null if unknown. */
  who: string | null;
}

/** The resources of an order that the timeline shows. */
export interface OrderParts {
  payments: readonly Model<'Payment'>[];
  fulfillments: readonly Model<'Fulfillment'>[];
  refunds: readonly Model<'Refund'>[];
  returns: readonly Model<'Return'>[];
  documents: readonly Model<'OrderDocument'>[];
  notes: readonly Model<'OrderNote'>[];
  mails: readonly Model<'OrderMail'>[];
}

/** The times of all events that a person may have caused. */
export const listInstants = (order: Order, parts: OrderParts): string[] => [
  order.updatedAt,
  ...parts.payments.flatMap(({ entries }) => entries.map(({ at }) => at)),
  ...[...parts.fulfillments, ...parts.returns].flatMap(({ createdAt, updatedAt }) => [createdAt, updatedAt]),
  ...parts.refunds.map(({ createdAt }) => createdAt),
  ...parts.documents.map(({ issuedAt }) => issuedAt),
];

/** Builds the timeline of an order, newest entry first. The audit entries only add the actors. */
export function useTimelineEntries(
  order: Order,
  auditEntries: readonly AuditEntry[],
  parts: OrderParts,
): TimelineEntry[] {
  const sources = useEntrySources(order, auditEntries);
  return [
    ...paymentEntries(parts, sources),
    ...parcelEntries(parts, sources),
    ...refundEntries(parts, sources),
    ...returnEntries(parts, sources),
    ...documentEntries(parts, sources),
    ...noteEntries(parts, sources),
    ...mailEntries(parts, sources),
    ...changeEntries(auditEntries, sources),
    { id: order.id, at: order.createdAt, what: sources.words.placedAt, who: null },
  ].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

type EntrySources = ReturnType<typeof useEntrySources>;

/** Returns the texts, formats and actors that entries are built from. */
function useEntrySources(order: Order, auditEntries: readonly AuditEntry[]) {
  const words = useOrderTexts();
  const afterSaleWords = useAfterSaleTexts();
  const states = usePaymentStateTexts();
  const formats = useFormats();
  const getActorName = ({ actor, action }: AuditEntry) =>
    // Only a customer can request a return without signing in.
    actor.type === 'system' && action === 'return.created'
      ? afterSaleWords.byCustomer
      : (actor.name ?? afterSaleWords.actors[actor.type]);
  return {
    order,
    words,
    afterSaleWords,
    states,
    money: (cents: number) => formats.money(cents, order.currency),
    units: (lines: readonly { variantId: string; quantity: number }[]) =>
      unitsText(order, lines, formats.number),
    getActorName,
    /** Returns the name of who did something to a target at a time; null if unknown. */
    actorAt(at: string, id: string, action?: AuditEntry['action']) {
      const entry = findAuditEntry(auditEntries, at, id, action && { orderId: order.id, action });
      return entry ? getActorName(entry) : null;
    },
  };
}

function paymentEntries(
  { payments, refunds }: OrderParts,
  { words, afterSaleWords, states, money, actorAt }: EntrySources,
): TimelineEntry[] {
  return payments.flatMap((payment): TimelineEntry[] =>
    payment.entries
      // Refunds have entries of their own with their details.
      .filter(({ kind }) => kind !== 'refunded' || refunds.length === 0)
      .map((entry) => ({
        id: entry.id,
        at: entry.at,
        what:
          entry.kind === 'noted'
            ? afterSaleWords.notedAs({ state: words.payments[entry.status as Order['payment']] })
            : afterSaleWords.paymentDid({ what: states.entries[entry.kind], sum: money(entry.amountCents) }),
        details: entry.kind === 'noted' ? [] : [getWayName(states, payment)],
        who: actorAt(entry.at, payment.id, 'order.paymentChanged'),
      })),
  );
}

function parcelEntries(
  { fulfillments }: OrderParts,
  { afterSaleWords, units, actorAt }: EntrySources,
): TimelineEntry[] {
  return fulfillments.flatMap((parcel): TimelineEntry[] => {
    const carrier =
      afterSaleWords.carriers[parcel.carrier as keyof typeof afterSaleWords.carriers] ?? parcel.carrier;
    const first = {
      id: parcel.id,
      at: parcel.createdAt,
      what: afterSaleWords.sentItems({ items: units(parcel.lines) }),
      details: [[carrier, parcel.trackingNumber].filter(Boolean).join(' ')],
      who: actorAt(parcel.createdAt, parcel.id, 'order.fulfillmentChanged'),
    };
    if (parcel.status === 'shipped') return [first];
    const last = {
      id: `${parcel.id} ${parcel.status}`,
      at: parcel.updatedAt,
      what: afterSaleWords.parcelIs({
        state: afterSaleWords.parcelStates[parcel.status],
        items: units(parcel.lines),
      }),
      who: actorAt(parcel.updatedAt, parcel.id, 'order.fulfillmentChanged'),
    };
    return [first, last];
  });
}

function refundEntries(
  { refunds }: OrderParts,
  { afterSaleWords, money, units, actorAt }: EntrySources,
): TimelineEntry[] {
  return refunds.map((refund): TimelineEntry => {
    const { lines, reason, state } = refund;
    return {
      id: refund.id,
      at: refund.createdAt,
      what: afterSaleWords.refundOf({ sum: money(refund.amountCents) }),
      details: [
        lines.length > 0 && units(lines),
        reason,
        state !== 'done' && afterSaleWords.refundStates[state],
      ],
      who: actorAt(refund.createdAt, refund.id, 'order.paymentChanged'),
    };
  });
}

function returnEntries(
  { returns }: OrderParts,
  { afterSaleWords, units, actorAt }: EntrySources,
): TimelineEntry[] {
  return returns.flatMap((each): TimelineEntry[] => {
    const made = {
      id: each.id,
      at: each.createdAt,
      what: (each.kind === 'withdrawal' ? afterSaleWords.withdrawalOf : afterSaleWords.returnOf)({
        items: units(each.lines),
      }),
      who: actorAt(each.createdAt, each.id),
    };
    // A return is only requested at first, so a later change was of something else.
    if (each.updatedAt === each.createdAt || each.state === 'requested') return [made];
    const moved = {
      id: `${each.id} ${each.state}`,
      at: each.updatedAt,
      what: afterSaleWords.returnIs({ state: afterSaleWords.returnStates[each.state] }),
      details: [each.note],
      who: actorAt(each.updatedAt, each.id),
    };
    return [made, moved];
  });
}

function documentEntries(
  { documents }: OrderParts,
  { afterSaleWords, actorAt }: EntrySources,
): TimelineEntry[] {
  return documents.map(
    ({ id, kind, number, issuedAt, url }): TimelineEntry => ({
      id,
      at: issuedAt,
      what: (
        <TextLink href={url} target="_blank" rel="noreferrer">
          {[afterSaleWords.documentKinds[kind], number].filter(Boolean).join(' ')}
        </TextLink>
      ),
      who: actorAt(issuedAt, id),
    }),
  );
}

function noteEntries({ notes }: OrderParts, { afterSaleWords }: EntrySources): TimelineEntry[] {
  return notes.map(
    ({ id, text, userName, createdAt }): TimelineEntry => ({
      id,
      at: createdAt,
      what: <span className={style.noteText}>{afterSaleWords.noteSays({ text })}</span>,
      who: userName ?? afterSaleWords.formerUser,
    }),
  );
}

function mailEntries({ mails }: OrderParts, { afterSaleWords }: EntrySources): TimelineEntry[] {
  return mails
    .filter(({ state }) => state !== 'queued')
    .map(
      ({ kind, partId, state, at }, i): TimelineEntry => ({
        id: `mail ${kind} ${partId} ${at} ${i}`,
        at,
        what: (state === 'sent' ? afterSaleWords.mailSent : afterSaleWords.mailFailed)({
          mail: afterSaleWords.mailKinds[kind],
        }),
        who: afterSaleWords.actors.system,
      }),
    );
}

/** Returns the entries for audit entries of the order that no other part of it shows. */
function changeEntries(
  auditEntries: readonly AuditEntry[],
  { order, afterSaleWords, getActorName }: EntrySources,
): TimelineEntry[] {
  return auditEntries
    .filter(({ target, action }) => target.id === order.id && action in afterSaleWords.orderActions)
    .map(
      (entry): TimelineEntry => ({
        id: entry.id,
        at: entry.at,
        what: afterSaleWords.orderActions[entry.action as keyof typeof afterSaleWords.orderActions],
        who: getActorName(entry),
      }),
    );
}
