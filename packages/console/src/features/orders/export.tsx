import { currencyExponent } from '@waybill/contracts/currencies';
import { writeAmount } from '@waybill/product-files';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import type { ReadPage } from '../../api/reading.ts';
import { ExportDialog } from '../../shell/export.tsx';
import { type Order, type OrderSearch, toOrderQuery } from './queries.ts';
import { useOrderTexts } from './texts.ts';

const columns = [
  'order',
  'placed',
  'status',
  'payment',
  'fulfillment',
  'customer',
  'email',
  'phone',
  'currency',
  'product',
  'variant',
  'sku',
  'quantity',
  'unit price',
  'line total',
  'subtotal',
  'shipping',
  'tax',
  'total',
  'discount',
  'discount codes',
  'shipping rate',
  'prices include tax',
  'VAT id',
  'line discount',
  'line tax',
  'line tax percent',
  'line fulfilled',
  'line refunded',
  'shipping tax',
  'paid',
  'refunded',
  'due',
  'reverse charge',
  'ship to',
  'ship to line 1',
  'ship to line 2',
  'ship to city',
  'ship to region',
  'ship to postal code',
  'ship to country',
];

/** Converts an order to one row per line. Only the first row holds the totals, so that summing a column works. */
function createRows(order: Order): string[][] {
  const { number, createdAt, status, payment, fulfillment, currency, customer, lineItems } = order;
  const { subtotalCents, shippingCents, taxCents, totalCents } = order;
  const digits = currencyExponent(currency);
  const amount = (cents: number) => writeAmount(cents, digits);
  const head = [`${number}`, createdAt, status, payment, fulfillment];
  const whose = [customer.name, customer.email, customer.phone ?? '', currency];
  const sums = [subtotalCents, shippingCents, taxCents, totalCents].map(amount);
  const {
    name = '',
    line1 = '',
    line2 = '',
    city = '',
    region = '',
    postalCode = '',
    country = '',
  } = customer.shippingAddress ?? {};
  const shipTo = [name, line1, line2, city, region, postalCode, country];
  const money = [order.shippingTaxCents, order.paidCents, order.refundedCents, order.dueCents].map(amount);
  const more = [
    amount(order.discountCents),
    order.discounts.map(({ code, title }) => code ?? title).join(', '),
    order.shippingRate?.name ?? '',
    `${order.taxIncluded}`,
    order.vatId ?? '',
  ];
  return lineItems.map((line, at) => [
    ...head,
    ...whose,
    line.name,
    line.variantName,
    line.sku ?? '',
    `${line.quantity}`,
    amount(line.unitPriceCents),
    amount(line.totalCents),
    ...(at === 0 ? sums : sums.map(() => '')),
    ...(at === 0 ? more : more.map(() => '')),
    amount(line.discountCents),
    amount(line.taxCents),
    line.taxPercent ?? '',
    `${line.fulfilledQuantity}`,
    `${line.refundedQuantity}`,
    ...(at === 0 ? [...money, `${order.reverseCharge}`] : [...money, ''].map(() => '')),
    ...shipTo,
  ]);
}

const readOrders =
  (storeId: string, search: OrderSearch): ReadPage<Order> =>
  async (after, signal) => {
    const { orders, ...rest } = await api.get('/api/stores/{storeId}/orders', {
      params: { path: { storeId }, query: { ...toOrderQuery(search), limit: 200, ...(after && { after }) } },
      signal,
    });
    return { ...rest, items: orders };
  };

/** Exports all orders of the filtered list to a file, in the list's order. */
export function OrderExport({ search, onClose }: { search: OrderSearch; onClose(): void }) {
  const words = useOrderTexts();
  const store = useStore();
  const { after: _, sort: __, dir: ___, ...filters } = search;
  return (
    <ExportDialog
      words={words}
      isFiltered={Object.keys(filters).length > 0}
      file={`orders-${store.slug}.csv`}
      read={readOrders(store.id, search)}
      createTable={(orders) => ({ columns, rows: orders.flatMap(createRows) })}
      onClose={onClose}
    />
  );
}
