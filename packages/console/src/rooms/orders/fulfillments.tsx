import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../../api/act.ts';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, Row, Skeleton } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { ActionMenu, Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './orders.module.css';
import { carriers, type Fulfillment, fulfillmentsQuery, type Order, touchedByOrder } from './queries.ts';
import { useOrderTexts } from './texts.ts';

type Question = { is: 'send' } | { is: 'track' | 'cancel'; fulfillment: Fulfillment };

const stateTones = { shipped: 'accent', delivered: 'good', cancelled: 'neutral' } as const;

/** How much of each line is still to be sent. */
const unsentOf = ({ lineItems }: Order) =>
  lineItems.flatMap((line) => {
    const left = line.quantity - line.fulfilledQuantity;
    return left > 0 ? [{ ...line, left }] : [];
  });

/** What of an order was sent, part by part, and what is left to send. */
export function Fulfillments({ order }: { order: Order }) {
  const words = useOrderTexts();
  const store = useStore();
  const { data, error, refetch } = useQuery(fulfillmentsQuery(store.id, order.id));
  const [question, setQuestion] = useState<Question | null>(null);
  const canWrite = store.can('orders.write');
  const left = unsentOf(order).reduce((sum, line) => sum + line.left, 0);
  const close = () => setQuestion(null);
  return (
    <Card
      title={words.fulfillment}
      actions={
        canWrite &&
        left > 0 &&
        order.status !== 'cancelled' && (
          <Button size="small" look="primary" onPress={() => setQuestion({ is: 'send' })}>
            {words.send}
          </Button>
        )
      }
    >
      {left > 0 && <p>{words.leftToSend(left)}</p>}
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} />}
      <ol className={style.timeline}>
        {data?.fulfillments.map((fulfillment) => (
          <OneFulfillment
            key={fulfillment.id}
            order={order}
            fulfillment={fulfillment}
            canWrite={canWrite}
            onAsk={(is) => setQuestion({ is, fulfillment })}
          />
        ))}
      </ol>
      {question?.is === 'send' && <SendDialog order={order} onClose={close} />}
      {question?.is === 'track' && <TrackDialog fulfillment={question.fulfillment} onClose={close} />}
      {question?.is === 'cancel' && <CancelDialog fulfillment={question.fulfillment} onClose={close} />}
    </Card>
  );
}

function OneFulfillment({
  order,
  fulfillment,
  canWrite,
  onAsk,
}: {
  order: Order;
  fulfillment: Fulfillment;
  canWrite: boolean;
  onAsk(is: 'track' | 'cancel'): void;
}) {
  const words = useOrderTexts();
  const formats = useFormats();
  const store = useStore();
  const { carrier, trackingNumber, trackingUrl, status, lines, createdAt } = fulfillment;
  const deliver = useAct(() => changeFulfillment(store.id, fulfillment, { status: 'delivered' }), {
    done: words.markedDelivered,
    touches: touchedByOrder(store.id),
  });
  const nameOf = (variantId: string) => {
    const line = order.lineItems.find((each) => each.variantId === variantId);
    return line ? [line.name, line.variantName].filter(Boolean).join(' · ') : variantId;
  };
  const tracking = [carrier && (words.carriers[carrier] ?? carrier), trackingNumber]
    .filter(Boolean)
    .join(' · ');
  return (
    <li>
      <Row isSpread>
        <span>
          {trackingUrl ? (
            <a href={trackingUrl} target="_blank" rel="noreferrer">
              {tracking || words.track}
            </a>
          ) : (
            tracking || words.noTracking
          )}
        </span>
        <Row>
          <Badge tone={stateTones[status]}>{words.fulfillmentStates[status]}</Badge>
          {canWrite && status !== 'cancelled' && (
            <ActionMenu
              label={words.shipmentActions}
              actions={[
                ...(status === 'shipped'
                  ? [
                      {
                        id: 'deliver',
                        text: words.markDelivered,
                        onAction: () => void deliver.run(undefined),
                      },
                    ]
                  : []),
                { id: 'track', text: words.editTracking, onAction: () => onAsk('track') },
                { id: 'cancel', text: words.cancelShipment, isDanger: true, onAction: () => onAsk('cancel') },
              ]}
            />
          )}
        </Row>
      </Row>
      <small>{formats.dateTime(createdAt)}</small>
      {lines.map(({ variantId, quantity }) => (
        <small key={variantId}>
          {formats.number(quantity)} × {nameOf(variantId)}
        </small>
      ))}
    </li>
  );
}

interface Tracking {
  carrier: string;
  trackingNumber: string;
  trackingUrl: string;
  notify: boolean;
}

/** What a form sends of tracking: what was left empty is none. */
const trackingBody = ({ carrier, trackingNumber, trackingUrl, notify }: Tracking) => ({
  carrier: carrier.trim() || null,
  trackingNumber: trackingNumber.trim() || null,
  ...(trackingUrl.trim() && { trackingUrl: trackingUrl.trim() }),
  notify,
});

function TrackingFields({ value, onChange }: { value: Tracking; onChange(value: Tracking): void }) {
  const words = useOrderTexts();
  const isKnown = value.carrier === '' || (carriers as readonly string[]).includes(value.carrier);
  const [isOther, setOther] = useState(!isKnown);
  return (
    <>
      <Select
        label={words.carrier}
        choices={[
          { id: 'none', text: words.noCarrier },
          ...carriers.map((id) => ({ id: id as string, text: words.carriers[id] ?? id })),
          { id: 'other', text: words.otherCarrier },
        ]}
        value={isOther ? 'other' : value.carrier || 'none'}
        onChange={(id) => {
          setOther(id === 'other');
          onChange({ ...value, carrier: id === 'other' || id === 'none' ? '' : id });
        }}
      />
      {isOther && (
        <TextField
          label={words.carrierName}
          name="/carrier"
          value={value.carrier}
          onChange={(carrier) => onChange({ ...value, carrier })}
          maxLength={60}
        />
      )}
      <TextField
        label={words.trackingNumber}
        name="/trackingNumber"
        value={value.trackingNumber}
        onChange={(trackingNumber) => onChange({ ...value, trackingNumber })}
        maxLength={100}
        isCode
      />
      {isOther && (
        <TextField
          label={words.trackingUrl}
          name="/trackingUrl"
          type="url"
          value={value.trackingUrl}
          onChange={(trackingUrl) => onChange({ ...value, trackingUrl })}
          maxLength={2048}
          placeholder="https://"
        />
      )}
      <Checkbox
        label={words.notify}
        value={value.notify}
        onChange={(notify) => onChange({ ...value, notify })}
      />
    </>
  );
}

/** Sends all that is left, or less of it. */
function SendDialog({ order, onClose }: { order: Order; onClose(): void }) {
  const words = useOrderTexts();
  const common = useCommon();
  const store = useStore();
  const unsent = unsentOf(order);
  const [quantities, setQuantities] = useState<Readonly<Record<string, number | null>>>({});
  const [tracking, setTracking] = useState<Tracking>({
    carrier: '',
    trackingNumber: '',
    trackingUrl: '',
    notify: true,
  });
  const quantityOf = (line: (typeof unsent)[number]) =>
    line.variantId in quantities ? (quantities[line.variantId] ?? 0) : line.left;
  const chosen = unsent.flatMap((line) => {
    const quantity = quantityOf(line);
    return quantity > 0 ? [{ variantId: line.variantId, quantity }] : [];
  });
  const send = useAct(
    () =>
      api.post('/api/stores/{storeId}/orders/{id}/fulfillments', {
        params: { path: { storeId: store.id, id: order.id } },
        body: { lines: chosen, ...trackingBody(tracking) },
      }),
    { done: words.sent, touches: touchedByOrder(store.id), onDone: onClose },
  );
  return (
    <Dialog title={words.send} isOpen onClose={onClose}>
      <Form act={send} onSubmit={() => void send.run(undefined)}>
        {unsent.map((line) => (
          <NumberField
            key={line.variantId}
            label={[line.name, line.variantName].filter(Boolean).join(' · ')}
            hint={words.ofLeft(line.left)}
            minValue={0}
            maxValue={line.left}
            step={1}
            value={quantityOf(line)}
            onChange={(quantity) => setQuantities({ ...quantities, [line.variantId]: quantity })}
          />
        ))}
        <TrackingFields value={tracking} onChange={setTracking} />
        <Actions>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button look="primary" type="submit" isPending={send.isPending} isDisabled={chosen.length === 0}>
            {words.markSent}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

const changeFulfillment = (
  storeId: string,
  { orderId, id }: Fulfillment,
  body: Partial<ReturnType<typeof trackingBody>> & { status?: Fulfillment['status'] },
) =>
  api.patch('/api/stores/{storeId}/orders/{id}/fulfillments/{fulfillmentId}', {
    params: { path: { storeId, id: orderId, fulfillmentId: id } },
    body,
  });

function TrackDialog({ fulfillment, onClose }: { fulfillment: Fulfillment; onClose(): void }) {
  const words = useOrderTexts();
  const common = useCommon();
  const store = useStore();
  const [tracking, setTracking] = useState<Tracking>({
    carrier: fulfillment.carrier ?? '',
    trackingNumber: fulfillment.trackingNumber ?? '',
    trackingUrl: '',
    notify: true,
  });
  const save = useAct(() => changeFulfillment(store.id, fulfillment, trackingBody(tracking)), {
    done: words.trackingSaved,
    touches: touchedByOrder(store.id),
    onDone: onClose,
  });
  return (
    <Dialog title={words.editTracking} isOpen onClose={onClose}>
      <Form act={save} onSubmit={() => void save.run(undefined)}>
        <TrackingFields value={tracking} onChange={setTracking} />
        <Actions>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button look="primary" type="submit" isPending={save.isPending}>
            {common.save}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

function CancelDialog({ fulfillment, onClose }: { fulfillment: Fulfillment; onClose(): void }) {
  const words = useOrderTexts();
  const store = useStore();
  const cancel = useAct(() => changeFulfillment(store.id, fulfillment, { status: 'cancelled' }), {
    done: words.shipmentCancelled,
    touches: touchedByOrder(store.id),
  });
  return (
    <ConfirmDialog
      title={words.cancelShipmentTitle}
      confirm={words.cancelShipment}
      cancel={words.keepShipment}
      isOpen
      onClose={onClose}
      onConfirm={() => cancel.attempt(undefined)}
    >
      {words.cancelShipmentHint}
    </ConfirmDialog>
  );
}
