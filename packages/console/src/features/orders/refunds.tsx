import { useQuery } from '@tanstack/react-query';
import { currencyExponent } from '@waybill/contracts/currencies';
import type { Model } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, Row, Skeleton, type Tone } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { afterSaleQueryKeys, refundsQuery } from './after-sale-queries.ts';
import { useAfterSaleTexts } from './after-sale-texts.ts';
import style from './orders.module.css';
import { unitsText } from './parcels.tsx';
import type { Order } from './queries.ts';
import { type Chosen, chosenLines, openLines, UnitChoices, unitsCents } from './unit-choices.tsx';

type Refund = Model<'Refund'>;

type RefundPart = readonly [text: string, cents: number];

const tones: Readonly<Record<Refund['state'], Tone>> = { pending: 'warn', done: 'good', failed: 'bad' };

/** The refunds of an order, and the form for a new one. */
export function Refunds({ order }: { order: Order }) {
  const words = useAfterSaleTexts();
  const formats = useFormats();
  const store = useStore();
  const { data, error, refetch } = useQuery(refundsQuery(store.id, order.id));
  const [isRefunding, setRefunding] = useState(false);
  const most = order.paidCents - order.refundedCents;
  const money = (cents: number) => formats.money(cents, order.currency);
  return (
    <Card
      title={words.refunds}
      actions={
        store.can('orders.write') &&
        most > 0 &&
        // Needs the earlier refunds to know what is left.
        data && (
          <Button size="small" onPress={() => setRefunding(true)}>
            {words.refund}
          </Button>
        )
      }
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} />}
      {data?.refunds.length === 0 && <p>{words.noRefunds}</p>}
      <ol className={style.timeline}>
        {data?.refunds.map((refund) => (
          <li key={refund.id}>
            <Row isSpread>
              <span>{money(refund.amountCents)}</span>
              <Badge tone={tones[refund.state]}>{words.refundStates[refund.state]}</Badge>
            </Row>
            <small>
              {[
                formats.dateTime(refund.createdAt),
                refund.taxCents > 0 && words.thereofTax({ sum: money(refund.taxCents) }),
              ]
                .filter(Boolean)
                .join(' · ')}
            </small>
            {refund.lines.length > 0 && <small>{unitsText(order, refund.lines, formats.number)}</small>}
            {refund.reason && <small>{refund.reason}</small>}
          </li>
        ))}
      </ol>
      {isRefunding && (
        <RefundDialog order={order} refunds={data?.refunds ?? []} onClose={() => setRefunding(false)} />
      )}
    </Card>
  );
}

const shippingLeft = ({ shippingCents }: Order, refunds: readonly Refund[]): number =>
  refunds
    .filter(({ state }) => state !== 'failed')
    .reduce((left, refund) => left - refund.shippingCents, shippingCents);

/** Returns the tax that is added to a refund of shipping. The last partial refund gets the remainder. */
function shippingTax(order: Order, cents: number, refunds: readonly Refund[]): number {
  if (order.taxIncluded || order.shippingCents === 0) return 0;
  const computeTaxPart = (part: number) => Math.round((order.shippingTaxCents * part) / order.shippingCents);
  const before = refunds
    .filter(({ state }) => state !== 'failed')
    .reduce((sum, refund) => sum + computeTaxPart(refund.shippingCents), 0);
  const left = Math.max(0, order.shippingTaxCents - before);
  return cents === shippingLeft(order, refunds) ? left : Math.min(left, computeTaxPart(cents));
}

function RefundDialog({
  order,
  refunds,
  onClose,
}: {
  order: Order;
  refunds: readonly Refund[];
  onClose(): void;
}) {
  const words = useAfterSaleTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const lines = openLines(order, (line) => line.quantity - line.refundedQuantity);
  const [chosen, setChosen] = useState<Chosen>({});
  const [kept, setKept] = useState<readonly string[]>([]);
  const [shippingCents, setShipping] = useState<number | null>(0);
  const [amountCents, setAmount] = useState<number | null>(null);
  const [reason, setReason] = useState('');
  const [notify, setNotify] = useState(true);
  const most = order.paidCents - order.refundedCents;
  const mostShipping = shippingLeft(order, refunds);
  const units = chosenLines(chosen);
  const isRestocked = (variantId: string) => order.status !== 'cancelled' && !kept.includes(variantId);
  const shipping = shippingCents ?? 0;
  const refund = { units, shippingCents: shipping, amountCents };
  const { parts, sum } = computeRefund(order, refunds, refund, { words, formats });
  const money = { currency: order.currency, exponent: currencyExponent(order.currency) };
  const save = useMutation(
    () =>
      api.post('/api/stores/{storeId}/orders/{id}/refunds', {
        params: { path: { storeId: store.id, id: order.id } },
        body: {
          ...(units.length > 0 && {
            lines: units.map((line) => ({ ...line, restock: isRestocked(line.variantId) })),
          }),
          ...(shipping > 0 && { shippingCents: shipping }),
          ...(amountCents !== null && { amountCents }),
          ...(reason.trim() && { reason: reason.trim() }),
          notify,
        },
      }),
    {
      done: words.refunded,
      invalidates: afterSaleQueryKeys(store.id),
      onDone: onClose,
      fields: { amount_exceeded: '/amountCents' },
    },
  );
  return (
    <Dialog title={words.refund} isOpen onClose={onClose}>
      <Form mutation={save} onSubmit={() => void save.run(undefined)}>
        <UnitChoices lines={lines} chosen={chosen} onChange={setChosen} />
        {order.status !== 'cancelled' && (
          <RestockSwitches order={order} units={units} kept={kept} onChange={setKept} />
        )}
        {mostShipping > 0 && (
          <NumberField
            label={words.shipping}
            name="/shippingCents"
            money={money}
            minValue={0}
            maxValue={mostShipping}
            value={shippingCents}
            onChange={setShipping}
          />
        )}
        <NumberField
          label={words.otherSum}
          hint={words.otherSumHint}
          name="/amountCents"
          money={money}
          minValue={1}
          maxValue={most}
          value={amountCents}
          onChange={setAmount}
        />
        <TextField
          label={words.reason}
          hint={words.reasonHint}
          name="/reason"
          value={reason}
          onChange={setReason}
          maxLength={500}
        />
        <Switch label={words.notify} value={notify} onChange={setNotify} />
        <RefundSum parts={parts} sum={sum} most={most} currency={order.currency} />
        <Actions>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button look="primary" type="submit" isPending={save.isPending} isDisabled={sum <= 0}>
            {words.refund}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

/** Lists the units and the shipping of a refund with their amounts, and returns their sum unless another is typed. */
function computeRefund(
  order: Order,
  refunds: readonly Refund[],
  refund: { units: ReturnType<typeof chosenLines>; shippingCents: number; amountCents: number | null },
  { words, formats }: { words: ReturnType<typeof useAfterSaleTexts>; formats: ReturnType<typeof useFormats> },
): { parts: RefundPart[]; sum: number } {
  const { units, shippingCents, amountCents } = refund;
  const parts: RefundPart[] = units.map(({ variantId, quantity }) => {
    const line = order.lineItems.find((each) => each.variantId === variantId)!;
    const text = unitsText(order, [{ variantId, quantity }], formats.number);
    return [text, unitsCents(order, line, quantity)];
  });
  if (shippingCents > 0)
    parts.push([words.shipping, shippingCents + shippingTax(order, shippingCents, refunds)]);
  const listed = parts.reduce((sum, [, cents]) => sum + cents, 0);
  const sum = amountCents ?? listed;
  // An adjustment line makes the listed parts add up to the amount.
  if (amountCents !== null && parts.length > 0 && sum !== listed)
    parts.push([words.adjustment, sum - listed]);
  return { parts, sum };
}

/** A switch per line that says whether its units return to the stock. */
function RestockSwitches({
  order,
  units,
  kept,
  onChange,
}: {
  order: Order;
  units: ReturnType<typeof chosenLines>;
  /** The variants that are not restocked. */
  kept: readonly string[];
  onChange(kept: readonly string[]): void;
}) {
  const words = useAfterSaleTexts();
  const formats = useFormats();
  return units.map((line) => (
    <Switch
      key={line.variantId}
      label={
        units.length === 1
          ? words.restock
          : words.restockLine({ items: unitsText(order, [line], formats.number) })
      }
      value={!kept.includes(line.variantId)}
      onChange={(restock) =>
        onChange(restock ? kept.filter((id) => id !== line.variantId) : [...kept, line.variantId])
      }
    />
  ));
}

/** The parts of a refund, its sum, and the amount that stays paid. */
function RefundSum({
  parts,
  sum,
  most,
  currency,
}: {
  parts: readonly RefundPart[];
  sum: number;
  most: number;
  currency: string;
}) {
  const words = useAfterSaleTexts();
  const formats = useFormats();
  const text = (cents: number) => formats.money(cents, currency);
  return (
    <>
      <dl className={style.sums}>
        {parts.map(([term, cents]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{text(cents)}</dd>
          </div>
        ))}
      </dl>
      <div className={style.total}>
        <strong>{words.refundSum}</strong>
        <strong>{text(sum)}</strong>
      </div>
      <p>
        {sum > 0 && sum <= most
          ? words.leavesPaid({ sum: text(most - sum) })
          : words.atMost({ sum: text(most) })}
      </p>
    </>
  );
}
