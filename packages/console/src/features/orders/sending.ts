import type { SheetRow } from '@waybill/product-files';
import { api } from '../../api/client.ts';
import type { Order } from './queries.ts';

/** Maximum number of rows in a file. */
export const maxRows = 1_000;

/** Accepted column titles in a file of shipments. */
const titles = {
  order: ['order', 'order number', 'number', 'bestellung', 'bestellnummer', 'nummer'],
  carrier: ['carrier', 'shipping company', 'versanddienst', 'versanddienstleister'],
  trackingNumber: ['tracking number', 'tracking', 'trackingnumber', 'sendungsnummer'],
} as const;
export type Column = keyof typeof titles;

export type Row = SheetRow<Column>;

/** The reason why a row cannot be sent. */
export type Fault = 'openQuote' | 'noNumber' | 'unknownOrder' | 'cancelled' | 'twice' | 'tooLong';

/** The plan for a row: `send` creates one fulfilment of everything left; `sent` was done before. */
export interface Step {
  row: Row;
  is: 'send' | 'sent' | Fault;
  order: Order | null;
}

/** Reads a file of shipments. The parser is larger than the screen, so it loads with the first file. */
export async function readShipments(file: File) {
  const { decodeFile, readSheet } = await import('@waybill/product-files');
  return readSheet<Column>(await decodeFile(new Uint8Array(await file.arrayBuffer())), titles, maxRows);
}

/** Returns the code of a known carrier, matched by code or name in any case. Other texts are returned unchanged. */
export function toCarrierCode(text: string, names: Readonly<Record<string, string>>): string {
  const wanted = text.toLowerCase();
  const known = Object.entries(names).find(
    ([code, name]) => code === wanted || name.toLowerCase() === wanted,
  );
  return known?.[0] ?? text;
}

const parseOrderNumber = (text: string): number | null => {
  const [, digits] = /^#?\s*(\d{1,15})$/.exec(text) ?? [];
  return digits ? Number(digits) : null;
};

/**
 * Finds an order by its number, or returns null. The search also returns other orders, but sorted by number, so the
 * first one that is not smaller decides.
 */
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

/** Whether a row was processed before: nothing of the order is left, or a fulfilment has its tracking number. */
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

/** Maximum number of parallel order lookups. */
const atOnce = 4;

/** Plans each row without sending anything. */
export async function planRows(
  storeId: string,
  rows: readonly Row[],
  { signal, onProgress }: { signal: AbortSignal; onProgress(share: number): void },
): Promise<Step[]> {
  const steps: Step[] = new Array(rows.length);
  const seen = new Set<number>();
  const firsts = rows.map(({ cells }) => {
    const number = parseOrderNumber(cells.order);
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
      steps[at] = await planRow(row, number, isFirst);
      onProgress(++done / rows.length);
    }
  }
  async function planRow(row: Row, number: number | null, isFirst: boolean): Promise<Step> {
    // Such a row may have swallowed those that follow it.
    if (row.hasBadQuote) return { row, is: 'openQuote', order: null };
    const { carrier, trackingNumber } = row.cells;
    if (number === null) return { row, is: 'noNumber', order: null };
    if (carrier.length > 60 || trackingNumber.length > 100) return { row, is: 'tooLong', order: null };
    // The first row of an order ships everything that is left.
    if (!isFirst) return { row, is: 'twice', order: null };
    const order = await findOrder(storeId, number, signal);
    if (!order) return { row, is: 'unknownOrder', order };
    if (order.status === 'cancelled') return { row, is: 'cancelled', order };
    return { row, is: (await isSent(storeId, order, row, signal)) ? 'sent' : 'send', order };
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return steps;
}

/** Creates a fulfilment with everything left of an order and the row's carrier and tracking number. */
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
