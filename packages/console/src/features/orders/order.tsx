import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { useParams } from '../../router/router.tsx';
import { AddressText } from '../../shell/address.tsx';
import { CustomFields } from '../../shell/custom-fields/custom-fields.tsx';
import { type FieldValues, findChanges } from '../../shell/custom-fields/queries.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { FormSaveBar, ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Badge, Card, Notice, Row, Screen, Stack, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import { Documents } from './documents.tsx';
import { Neighbours } from './neighbours.tsx';
import { Notes } from './notes.tsx';
import style from './orders.module.css';
import { Parcels } from './parcels.tsx';
import { Payments } from './payments.tsx';
import {
  fulfillments,
  fulfillmentTones,
  type Order,
  orderQuery,
  ordersKey,
  paymentsFrom,
  paymentTones,
  pictureQuery,
  statusTones,
} from './queries.ts';
import { Refunds } from './refunds.tsx';
import { Returns } from './returns.tsx';
import { useOrderTexts } from './texts.ts';
import { Timeline } from './timeline.tsx';

type States = Pick<Order, 'status' | 'payment' | 'fulfillment'>;

/** The screen of an order: items, customer and progress. */
export function OrderScreen() {
  const { orderId } = useParams<'orderId'>();
  const store = useStore();
  const words = useOrderTexts();
  if (store.can('orders.read')) return <Stored key={orderId} id={orderId} />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('orders.read')} />;
}

function Stored({ id }: { id: string }) {
  const words = useOrderTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const [isCancelling, setCancelling] = useState(false);
  const { data } = useSuspenseQuery(orderQuery(store.id, id));
  const { order, etag } = data;
  const { form, cancel } = useStates(order, etag);
  const canWrite = store.can('orders.write');
  const isCancelled = order.status === 'cancelled';
  const pieces = order.lineItems.reduce((sum, { quantity }) => sum + quantity, 0);
  const hasMoney = ['authorized', 'paid', 'partially_refunded'].includes(order.payment);
  return (
    <Screen
      title={words.orderNumber({ number: order.number })}
      subtitle={
        <Row>
          {formats.dateTime(order.createdAt)}
          <Badge tone={statusTones[order.status]}>{words.statuses[order.status]}</Badge>
          <Badge tone={paymentTones[order.payment]}>{words.payments[order.payment]}</Badge>
          <Badge tone={fulfillmentTones[order.fulfillment]}>{words.fulfillments[order.fulfillment]}</Badge>
        </Row>
      }
      back={
        <TextLink href={paths.inStore(store.id, 'orders')}>{common.backTo({ place: words.title })}</TextLink>
      }
      actions={
        <>
          <Neighbours order={order} />
          <Button onPress={() => window.print()}>{words.print}</Button>
          {canWrite && !isCancelled && (
            <ActionMenu
              label={common.actionsFor({ thing: words.orderNumber({ number: order.number }) })}
              actions={[
                { id: 'cancel', text: words.cancel, isDanger: true, onAction: () => setCancelling(true) },
              ]}
            />
          )}
        </>
      }
    >
      <TwoColumns
        main={
          <>
            <Lines order={order} />
            <Parcels order={order} />
            <Refunds order={order} />
            <Returns order={order} />
            <Payments order={order} />
            <Documents order={order} />
            <OrderFields order={order} canWrite={canWrite} />
            <Timeline order={order} />
          </>
        }
        side={
          <>
            {canWrite && (
              <div className={style.screenOnly}>
                <StatesCard order={order} form={form} />
              </div>
            )}
            <Customer order={order} />
            <Notes orderId={order.id} />
          </>
        }
      />
      <ConfirmDialog
        title={words.cancelTitle({ number: order.number })}
        confirm={words.cancel}
        cancel={words.keep}
        isOpen={isCancelling}
        onClose={() => setCancelling(false)}
        onConfirm={cancel.attempt}
      >
        <p>{words.cancelHint({ pieces: words.pieces({ count: pieces }) })}</p>
        {hasMoney && <Notice tone="warn">{words.cancelPaid}</Notice>}
      </ConfirmDialog>
    </Screen>
  );
}

/** The status of an order and of its payment and fulfillment. A cancelled order keeps its status. */
function StatesCard({ order, form }: { order: Order; form: ReturnType<typeof useStates>['form'] }) {
  const words = useOrderTexts();
  const common = useCommon();
  return (
    <Card title={words.states}>
      <ResourceForm form={form}>
        {order.status === 'cancelled' ? (
          <Notice>{words.cancelledHint}</Notice>
        ) : (
          <Select
            label={common.status}
            name="/status"
            choices={(['open', 'completed'] as const).map((state) => ({
              id: state,
              text: words.statuses[state],
            }))}
            value={form.value.status === 'cancelled' ? null : form.value.status}
            onChange={form.field('status').onChange}
          />
        )}
        <Select
          label={words.payment}
          choices={paymentsFrom(order.payment).map((state) => ({
            id: state,
            text: words.payments[state],
          }))}
          {...form.field('payment')}
        />
        <Select
          label={words.fulfillment}
          choices={fulfillments.map((state) => ({ id: state, text: words.fulfillments[state] }))}
          {...form.field('fulfillment')}
        />
      </ResourceForm>
    </Card>
  );
}

/** The custom fields of an order, saved separately from its states. */
function OrderFields({ order, canWrite }: { order: Order; canWrite: boolean }) {
  const words = useOrderTexts();
  const store = useStore();
  const form = useResourceForm<{ customFields: FieldValues }, unknown>({
    stored: { customFields: order.customFields },
    canWrite,
    save: ({ value, base }) =>
      api.patch('/api/stores/{storeId}/orders/{id}', {
        params: { path: { storeId: store.id, id: order.id } },
        body: { customFields: findChanges(base.customFields, value.customFields) },
      }),
    done: words.saved,
    invalidates: [ordersKey(store.id)],
  });
  return (
    <ResourceForm form={form} bar={form.isDirty && <FormSaveBar form={form} />}>
      <CustomFields entity="order" {...form.field('customFields')} />
    </ResourceForm>
  );
}

/** The form for the three states of an order. A save sends only the changed ones. */
function useStates(order: Order, etag: string | null) {
  const words = useOrderTexts();
  const store = useStore();
  const stored: States = { status: order.status, payment: order.payment, fulfillment: order.fulfillment };
  const change = (body: Model<'OrderChange'>, headers: { 'if-match'?: string }) =>
    api.patch('/api/stores/{storeId}/orders/{id}', {
      params: { path: { storeId: store.id, id: order.id } },
      headers,
      body,
    });
  // A change of state also affects stock and the customer's spending.
  const invalidates = ['orders', 'products', 'customers', 'audit'].map((part) => ['stores', store.id, part]);
  const form = useResourceForm({
    stored,
    etag,
    save: ({ value, base, headers }) =>
      change(
        {
          ...(value.status !== base.status && { status: value.status }),
          ...(value.payment !== base.payment && { payment: value.payment }),
          ...(value.fulfillment !== base.fulfillment && { fulfillment: value.fulfillment }),
        },
        headers,
      ),
    done: words.saved,
    invalidates,
  });
  const cancel = useMutation(() => change({ status: 'cancelled' }, etag ? { 'if-match': etag } : {}), {
    done: words.cancelled,
    invalidates,
    onDone: () => form.resetFields('status'),
  });
  // If somebody else was faster, the order is read again, and the dialog asks about its new state.
  return { form, cancel: { attempt: () => cancel.attempt(undefined) } };
}

/** Returns the shipping cost before free shipping, which is listed among the discounts. This way the column adds up. */
const shippingBeforeDiscounts = ({ shippingCents, discounts, discountCents }: Order): number =>
  shippingCents + discounts.reduce((sum, { amountCents }) => sum + amountCents, 0) - discountCents;

function Lines({ order }: { order: Order }) {
  const words = useOrderTexts();
  const formats = useFormats();
  const store = useStore();
  const money = (cents: number) => formats.money(cents, order.currency);
  const sums = [
    [words.subtotal, order.subtotalCents] as const,
    ...order.discounts.map(
      ({ title, code, amountCents }) =>
        [words.discountOf({ title: code ? `${title} · ${code}` : title }), -amountCents] as const,
    ),
    ...(order.shippingCents > 0 || order.shippingRate
      ? [
          [
            order.shippingRate?.name ? words.shippingBy({ rate: order.shippingRate.name }) : words.shipping,
            shippingBeforeDiscounts(order),
          ] as const,
        ]
      : []),
    ...order.taxLines.map(({ name, percent, taxCents }) => {
      const tax = `${formats.decimal(percent)} % ${name}`;
      return [order.taxIncluded ? words.taxIncluded({ tax }) : tax, taxCents] as const;
    }),
    ...(order.taxLines.length === 0 && order.taxCents > 0 ? [[words.tax, order.taxCents] as const] : []),
  ];
  return (
    <Card title={words.lines}>
      <table className={style.lines}>
        <thead>
          <tr>
            <th scope="col">{words.product}</th>
            <th scope="col" className={`${style.end} ${style.price}`}>
              {words.price}
            </th>
            <th scope="col" className={style.end}>
              {words.quantity}
            </th>
            <th scope="col" className={style.end}>
              {words.sum}
            </th>
          </tr>
        </thead>
        <tbody>
          {order.lineItems.map((line) => (
            <tr key={line.variantId}>
              <th scope="row">
                <span className={style.product}>
                  <Picture productId={line.productId} />
                  <span>
                    <TextLink href={paths.inStore(store.id, 'products', line.productId)}>
                      {line.name}
                    </TextLink>
                    <small>{[line.variantName, line.sku].filter(Boolean).join(' · ')}</small>
                  </span>
                </span>
              </th>
              <td className={`${style.end} ${style.price}`}>{money(line.unitPriceCents)}</td>
              <td className={style.end}>{formats.number(line.quantity)}</td>
              <td className={style.end}>{money(line.totalCents + line.discountCents)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {sums.map(([title, cents]) => (
            <tr key={title}>
              <th scope="row">{title}</th>
              <td className={style.price} />
              <td />
              <td className={style.end}>{money(cents)}</td>
            </tr>
          ))}
          <tr className={style.grand}>
            <th scope="row">{words.total}</th>
            <td className={style.price} />
            <td />
            <td className={style.end}>{money(order.totalCents)}</td>
          </tr>
        </tfoot>
      </table>
      {order.reverseCharge && <p>{words.reverseCharge}</p>}
      {order.vatId && (
        <p>
          {words.vatId}: {order.vatId}
        </p>
      )}
    </Card>
  );
}

/** The current picture of a line's product. */
function Picture({ productId }: { productId: string }) {
  const store = useStore();
  const { data: url } = useQuery(pictureQuery(store.id, productId));
  return url && <img src={`${url}?w=320`} alt="" loading="lazy" width="40" height="40" />;
}

function Customer({ order: { customer, customerId } }: { order: Order }) {
  const words = useOrderTexts();
  const store = useStore();
  const title = customer.name || customer.email;
  return (
    <>
      <Card title={words.customer}>
        <Stack>
          <div className={style.person}>
            <p>
              {customerId ? (
                <TextLink href={paths.inStore(store.id, 'customers', customerId)}>{title}</TextLink>
              ) : (
                title
              )}
            </p>
            {customer.name && <p>{customer.email}</p>}
            {customer.phone && <p>{customer.phone}</p>}
          </div>
          {customerId ? (
            <span className={style.screenOnly}>
              <TextLink href={`${paths.inStore(store.id, 'orders')}?customerId=${customerId}`}>
                {words.moreOrders}
              </TextLink>
            </span>
          ) : (
            <p className={style.screenOnly}>
              {customer.email === '' ? words.customerErased : words.customerGone}
            </p>
          )}
        </Stack>
      </Card>
      <Card title={words.shipTo}>
        {customer.shippingAddress ? (
          <AddressText address={customer.shippingAddress} />
        ) : (
          <p>{words.noAddress}</p>
        )}
      </Card>
    </>
  );
}
