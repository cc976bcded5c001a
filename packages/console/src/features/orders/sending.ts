import type { SheetRow } from '@waybill/product-files';
import { api } from '../../api/client.ts';
import type { Order } from './queries.ts';

/** How many rows a file has at most. */
export const maxRows = 1_000;

/** What the columns of a file of shipments may be called. */
const titles = {
  order: ['order', 'order number', 'number', 'bestellung', 'bestellnummer', 'nummer'],
  carrier: ['carrier', 'shipping company', 'versanddienst', 'versanddienstleister'],
  trackingNumber: ['tracking number', 'tracking', 'trackingnumber', 'sendungsnummer'],
} as const;
export type Column = keyof typeof titles;

export type Row = SheetRow<Column>;

/** Why a row cannot be sent. */
export type Fault = 'noNumber' | 'unknownOrder' | 'cancelled' | 'twice' | 'tooLong';

/** What a row comes to: `send` makes one fulfilment of all that is left; `sent`: that was done before. */
export interface Step {
  row: Row;
  is: 'send' | 'sent' | Fault;
  order: Order | null;
}

/** Reads a file of shipments. What reads tables comes with the first file: it is larger than the screen. */
export async function readShipments(file: File) {
  const { decodeFile, readSheet } = await import('@waybill/product-files');
  return readSheet<Column>(await decodeFile(new Uint8Array(await file.arrayBuffer())), titles, maxRows);
}

/** The code of a known carrier that is written in any case, by its name too; of others what is written. */
export function carrierOf(text: string, names: Readonly<Record<string, string>>): string {
  const wanted = text.toLowerCase();
  const known = Object.entries(names).find(
    ([code, name]) => code === wanted || name.toLowerCase() === wanted,
  );
  return known?.[0] ?? text;
}

const numberOf = (text: string): number | null => {
  const [, digits] = /^#?(\d{1,15})$/.exec(text) ?? [];
  return digits ? Number(digits) : null;
};

/** The order of a number; null: there is none. A search finds others too, of which none has a smaller number by it. */
async function findOrder(storeId: string, number: number, signal: AbortSignal): Promise<Order | null> {
  for (let after: string | null = null; ; ) {
    const page: { orders: Order[]; nextCursor: string | null } = await api.get(
      '/api/stores/{storeId}/orders',
      {
        params: {
          path: { storeId },
          query: { q: `#${number}`, sort: 'number', dir: 'asc', limit: 50, ...(after && { after }) },
        },
        signal,
      },
    );
    const found = page.orders.find((order) => order.number >= number);
    if (found) return found.number === number ? found : null;
    if (page.nextCursor === null) return null;
    after = page.nextCursor;
  }
}

/** Whether what a row asks for was done: by its tracking number, else nothing of the order is left. */
async function isSent(storeId: string, order: Order, { cells }: Row, signal: AbortSignal): Promise<boolean> {
  if (order.lineItems.every(({ quantity, fulfilledQuantity }) => fulfilledQuantity >= quantity)) return true;
  if (cells.trackingNumber === '') return false;
  const { fulfillments } = await api.get('/api/stores/{storeId}/orders/{id}/fulfillments', {
    params: { path: { storeId, id: order.id }, query: { limit: 100 } },
    signal,
  });
  return fulfillments.some(
    ({ status, trackingNumber }) => status !== 'cancelled' && trackingNumber === cells.trackingNumber,
  );
}

/** How many orders are looked up at once. */
const atOnce = 4;

/** Says what each row comes to; nothing is sent. */
export async function planOf(
  storeId: string,
  rows: readonly Row[],
  { signal, onProgress }: { signal: AbortSignal; onProgress(share: number): void },
): Promise<Step[]> {
  const steps: Step[] = new Array(rows.length);
  const seen = new Set<number>();
  const firsts = rows.map(({ cells }) => {
    const number = numberOf(cells.order);
    const isFirst = number !== null && !seen.has(number);
    if (number !== null) seen.add(number);
    return { number, isFirst };
  });
  let next = 0;
  let done = 0;
  async function work(): Promise<void> {
    for (let at = next++; at < rows.length; at = next++) {
      const row = rows[at]!;
      const { number, isFirst } = firsts[at]!;
      steps[at] = await stepOf(row, number, isFirst);
      onProgress(++done / rows.length);
    }
  }
  async function stepOf(row: Row, number: number | null, isFirst: boolean): Promise<Step> {
    const { carrier, trackingNumber } = row.cells;
    if (number === null) return { row, is: 'noNumber', order: null };
    if (carrier.length > 60 || trackingNumber.length > 100) return { row, is: 'tooLong', order: null };
    // All that is left goes with the first: there would be nothing for another.
    if (!isFirst) return { row, is: 'twice', order: null };
    const order = await findOrder(storeId, number, signal);
    if (!order) return { row, is: 'unknownOrder', order };
    if (order.status === 'cancelled') return { row, is: 'cancelled', order };
    return { row, is: (await isSent(storeId, order, row, signal)) ? 'sent' : 'send', order };
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return steps;
}

/** Sends all that is left of an order, as a row says. */
export const send = (
  storeId: string,
  order: Order,
  { cells }: Row,
  { carrier, notify }: { carrier: string; notify: boolean },
) =>
  api.post('/api/stores/{storeId}/orders/{id}/fulfillments', {
    params: { path: { storeId, id: order.id } },
    body: {
      ...(carrier && { carrier }),
      ...(cells.trackingNumber && { trackingNumber: cells.trackingNumber }),
      notify,
    },
  });
