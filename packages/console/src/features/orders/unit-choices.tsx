import { NumberField } from '../../ui/number-field.tsx';
import { useAfterSaleTexts } from './after-sale-texts.ts';
import style from './orders.module.css';
import type { Order } from './queries.ts';
import { useOrderTexts } from './texts.ts';

/** A line of an order and the number of its units that an action can still include. */
export interface OpenLine {
  line: Order['lineItems'][number];
  left: number;
}

/** Number of chosen units by variant id. */
export type Chosen = Readonly<Record<string, number>>;

/** Returns the lines that have units left. */
export const openLines = (order: Order, countLeft: (line: OpenLine['line']) => number): OpenLine[] =>
  order.lineItems.map((line) => ({ line, left: countLeft(line) })).filter(({ left }) => left > 0);

/** Converts the chosen units to the lines of a request. */
export const chosenLines = (chosen: Chosen) =>
  Object.entries(chosen)
    .filter(([, quantity]) => quantity > 0)
    .map(([variantId, quantity]) => ({ variantId, quantity }));

/** Returns the refund for a number of units (`decisions.md 23.2`). */
export function unitsCents(order: Order, line: Order['lineItems'][number], units: number): number {
  const paid = line.totalCents + (order.taxIncluded ? 0 : line.taxCents);
  const unit = Math.floor(paid / line.quantity);
  const isLast = line.refundedQuantity + units === line.quantity;
  return unit * units + (isLast && units > 0 ? paid - unit * line.quantity : 0);
}

/** Asks for a number of units per line. */
export function UnitChoices({
  lines,
  chosen,
  onChange,
}: {
  lines: readonly OpenLine[];
  chosen: Chosen;
  onChange(chosen: Chosen): void;
}) {
  const words = useAfterSaleTexts();
  const { quantity } = useOrderTexts();
  return (
    <div>
      {lines.map(({ line, left }) => (
        <div key={line.variantId} className={style.chosen}>
          <div>
            {line.name}
            <small>{[line.variantName, line.sku, words.ofLeft({ left })].filter(Boolean).join(' · ')}</small>
          </div>
          <NumberField
            label={quantity}
            name={`/lines/${line.variantId}`}
            minValue={0}
            maxValue={left}
            step={1}
            value={chosen[line.variantId] ?? 0}
            onChange={(units) => onChange({ ...chosen, [line.variantId]: units ?? 0 })}
          />
        </div>
      ))}
    </div>
  );
}
