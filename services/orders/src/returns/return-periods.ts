import type { OrderUnits } from '@waybill/contracts';
import type { FulfillmentRow } from '../dispatch/queries.ts';
import { mergeLines } from '../dispatch/units.ts';
import type { ReturnRow } from './queries.ts';

const dayMs = 86_400_000;

/** Units of a variant that were delivered, sent or ordered at the same time, and the beginning of their period. */
interface Period {
  from: Date;
  quantity: number;
}

/** The parts of an order that decide which of its units a shopper may return. */
export interface ReturnedOrder {
  createdAt: Date;
  lineItems: readonly OrderUnits[];
  fulfillments: readonly Pick<FulfillmentRow, 'status' | 'lines' | 'created_at' | 'delivered_at'>[];
  /** All returns that were not declined. */
  returns: readonly Pick<ReturnRow, 'lines' | 'created_at'>[];
}

/**
 * Returns the units of each variant that are in no return and whose period is open. The period begins for each unit
 * with its delivery, or else with its shipment, or else with the order: `decisions.md 23.3`.
 */
export function listReturnableUnits(
  { createdAt, lineItems, fulfillments, returns }: ReturnedOrder,
  returnDays: number,
  now = new Date(),
): OrderUnits[] {
  const isOpen = ({ from }: Period, at: Date) =>
    returnDays > 0 && at.getTime() < from.getTime() + returnDays * dayMs;
  const parcels = fulfillments.filter(({ status }) => status !== 'cancelled');
  const earlierReturns = returns.toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime());
  return lineItems.map(({ variantId, quantity }) => {
    const sent = parcels.map(({ lines, delivered_at: deliveredAt, created_at: sentAt }) => ({
      from: deliveredAt ?? sentAt,
      quantity: countUnits(lines, variantId),
    }));
    const unsent = sent.reduce((left, period) => left - period.quantity, quantity);
    const periods = [...sent, { from: createdAt, quantity: Math.max(0, unsent) }].sort(
      (a, b) => a.from.getTime() - b.from.getTime(),
    );
    for (const { lines, created_at: at } of earlierReturns)
      takeUnits(periods, countUnits(lines, variantId), (period) => isOpen(period, at));
    const open = periods.filter((period) => isOpen(period, now));
    return { variantId, quantity: open.reduce((sum, period) => sum + period.quantity, 0) };
  });
}

const countUnits = (lines: readonly OrderUnits[], variantId: string): number =>
  mergeLines(lines).find((line) => line.variantId === variantId)?.quantity ?? 0;

/** Takes the units of an earlier return from the oldest periods that were open then, or else from the oldest. */
function takeUnits(periods: readonly Period[], quantity: number, wasOpen: (period: Period) => boolean): void {
  let left = quantity;
  for (const period of [...periods.filter(wasOpen), ...periods.filter((each) => !wasOpen(each))]) {
    const taken = Math.min(left, period.quantity);
    period.quantity -= taken;
    left -= taken;
  }
}
