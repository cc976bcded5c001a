import { useQuery } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, Row, Skeleton, type Tone } from '../../ui/layout.tsx';
import { Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { afterSaleQueryKeys, fulfillmentsQuery } from './after-sale-queries.ts';
import { useAfterSaleTexts } from './after-sale-texts.ts';
import style from './orders.module.css';
import type { Order } from './queries.ts';
import { type Chosen, chosenLines, openLines, UnitChoices } from './unit-choices.tsx';

type Parcel = Model<'Fulfillment'>;

const tones: Readonly<Record<Parcel['status'], Tone>> = {
  shipped: 'accent',
  delivered: 'good',
  cancelled: 'neutral',
};

/** The fulfilments of an order, and the form that ships the rest. */
export function Parcels({ order }: { order: Order }) {
  const words = useAfterSaleTexts();
  const store = useStore();
  const { data, error, refetch } = useQuery(fulfillmentsQuery(store.id, order.id));
  const [isSending, setSending] = useState(false);
  const [cancelled, setCancelled] = useState<Parcel | null>(null);
  const left = openLines(order, (line) => line.quantity - line.fulfilledQuantity);
  const canWrite = store.can('orders.write');
  const change = useMutation(
    ({ id, status }: Pick<Parcel, 'id' | 'status'>) =>
      api.patch('/api/stores/{storeId}/orders/{id}/fulfillments/{fulfillmentId}', {
        params: { path: { storeId: store.id, id: order.id, fulfillmentId: id } },
        body: { status },
      }),
    { done: words.parcelChanged, invalidates: afterSaleQueryKeys(store.id) },
  );
  return (
    <Card
      title={words.parcels}
      actions={
        canWrite &&
        order.status !== 'cancelled' &&
        left.length > 0 && (
          <Button size="small" onPress={() => setSending(true)}>
            {words.send}
          </Button>
        )
      }
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} />}
      {data?.fulfillments.length === 0 && <p>{words.noParcels}</p>}
      <ol className={style.timeline}>
        {data?.fulfillments.map((parcel) => (
          <OneParcel
            key={parcel.id}
            parcel={parcel}
            order={order}
            canWrite={canWrite}
            onDelivered={() => void change.run({ id: parcel.id, status: 'delivered' })}
            onCancel={() => setCancelled(parcel)}
          />
        ))}
      </ol>
      {isSending && <SendDialog order={order} onClose={() => setSending(false)} />}
      <ConfirmDialog
        title={words.cancelParcelTitle}
        confirm={words.cancelParcel}
        isOpen={cancelled !== null}
        onClose={() => setCancelled(null)}
        onConfirm={() => change.attempt({ id: cancelled!.id, status: 'cancelled' })}
      >
        <p>{words.cancelParcelHint}</p>
      </ConfirmDialog>
    </Card>
  );
}

function OneParcel({
  parcel,
  order,
  canWrite,
  onDelivered,
  onCancel,
}: {
  parcel: Parcel;
  order: Order;
  canWrite: boolean;
  onDelivered(): void;
  onCancel(): void;
}) {
  const words = useAfterSaleTexts();
  const formats = useFormats();
  const { carrier, trackingNumber, trackingUrl, status, createdAt } = parcel;
  const name = carrier && (words.carriers[carrier as keyof typeof words.carriers] ?? carrier);
  const tracking = [name, trackingNumber].filter(Boolean).join(' ');
  return (
    <li>
      <Row isSpread>
        <span>{unitsText(order, parcel.lines, formats.number)}</span>
        <Badge tone={tones[status]}>{words.parcelStates[status]}</Badge>
      </Row>
      <small>{formats.dateTime(createdAt)}</small>
      {tracking && (
        <small>
          {trackingUrl ? (
            <TextLink href={trackingUrl} target="_blank" rel="noreferrer">
              {tracking}
            </TextLink>
          ) : (
            tracking
          )}
        </small>
      )}
      {canWrite && status !== 'cancelled' && (
        <Row>
          {status === 'shipped' && (
            <Button size="small" onPress={onDelivered}>
              {words.markDelivered}
            </Button>
          )}
          <Button size="small" look="quiet" onPress={onCancel}>
            {words.cancelParcel}
          </Button>
        </Row>
      )}
    </li>
  );
}

/** Describes units as `2 × Earl Grey, 1 × Assam`. */
export const unitsText = (
  order: Order,
  lines: readonly { variantId: string; quantity: number }[],
  number: (value: number) => string,
): string =>
  lines
    .map(({ variantId, quantity }) => {
      const line = order.lineItems.find((each) => each.variantId === variantId);
      return `${number(quantity)} × ${[line?.name, line?.variantName].filter(Boolean).join(' ')}`;
    })
    .join(', ');

type CarrierChoice = keyof ReturnType<typeof useAfterSaleTexts>['carriers'] | 'none' | 'other';

function SendDialog({ order, onClose }: { order: Order; onClose(): void }) {
  const words = useAfterSaleTexts();
  const common = useCommon();
  const store = useStore();
  const lines = openLines(order, (line) => line.quantity - line.fulfilledQuantity);
  const [chosen, setChosen] = useState<Chosen>(
    Object.fromEntries(lines.map(({ line, left }) => [line.variantId, left])),
  );
  const [carrier, setCarrier] = useState<CarrierChoice | null>('none');
  const [otherCarrier, setOtherCarrier] = useState('');
  const [trackingNumber, setTrackingNumber] = useState('');
  const [notify, setNotify] = useState(true);
  const name = carrier === 'other' ? otherCarrier.trim() : carrier === 'none' ? '' : (carrier ?? '');
  const save = useMutation(
    () =>
      api.post('/api/stores/{storeId}/orders/{id}/fulfillments', {
        params: { path: { storeId: store.id, id: order.id } },
        body: {
          lines: chosenLines(chosen),
          ...(name && { carrier: name }),
          ...(carrier !== 'none' && trackingNumber.trim() && { trackingNumber: trackingNumber.trim() }),
          notify,
        },
      }),
    { done: words.sent, invalidates: afterSaleQueryKeys(store.id), onDone: onClose },
  );
  const choices: { id: CarrierChoice; text: string }[] = [
    { id: 'none', text: words.noCarrier },
    ...Object.entries(words.carriers).map(([id, text]) => ({ id: id as CarrierChoice, text })),
    { id: 'other', text: words.otherCarrier },
  ];
  return (
    <Dialog title={words.send} isOpen onClose={onClose}>
      <Form mutation={save} onSubmit={() => void save.run(undefined)}>
        <UnitChoices lines={lines} chosen={chosen} onChange={setChosen} />
        <Select
          label={words.carrier}
          choices={choices}
          value={carrier}
          onChange={(id) => setCarrier(id as CarrierChoice)}
        />
        {carrier === 'other' && (
          <TextField
            label={words.carrierName}
            name="/carrier"
            value={otherCarrier}
            onChange={setOtherCarrier}
            maxLength={60}
            isRequired
          />
        )}
        {carrier !== 'none' && (
          <TextField
            label={words.trackingNumber}
            name="/trackingNumber"
            value={trackingNumber}
            onChange={setTrackingNumber}
            maxLength={100}
          />
        )}
        <Switch label={words.notify} value={notify} onChange={setNotify} />
        <Actions>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button
            look="primary"
            type="submit"
            isPending={save.isPending}
            isDisabled={chosenLines(chosen).length === 0}
          >
            {words.send}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
