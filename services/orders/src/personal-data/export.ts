import { Readable } from 'node:stream';
import type { CustomerDataPage, CustomerDataQuery } from '@waybill/contracts';
import { Answer, enforceRateLimit, jsonType } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { findCustomerEnvelope, findNote } from '../customers/queries.ts';
import { toFulfillment } from '../dispatch/dispatch.ts';
import { toDocument } from '../documents/documents.ts';
import { toDocumentContent } from '../documents/queries.ts';
import { errors } from '../errors.ts';
import { toPayment } from '../ledger/entries.ts';
import { toRefund } from '../refunding/refunding.ts';
import { toReturn } from '../returns/returns.ts';
import {
  listCustomerOrderIds,
  listCustomerOrders,
  listEmails,
  listNewestOrderIds,
  listOfOrders,
} from './queries.ts';

/** The data of a customer in other services, by name in the export. Each service is read page by page. */
const externalSources = [
  { key: 'formSubmissions', service: 'content', path: '/internal/customer-form-submissions' },
  { key: 'events', service: 'webhooks', path: '/internal/customer-events' },
] as const;

/** The data that belongs to a customer's orders, by name in the export, in the shape of the API. */
const ofOrders: Readonly<
  Record<string, (context: Context, storeId: string, orderIds: readonly string[]) => Promise<unknown[]>>
> = {
  payments: async ({ db }, ...args) => (await listOfOrders.payments(db, ...args)).map(toPayment),
  fulfillments: async ({ db }, ...args) => (await listOfOrders.fulfillments(db, ...args)).map(toFulfillment),
  refunds: async ({ db }, ...args) => (await listOfOrders.refunds(db, ...args)).map(toRefund),
  returns: async ({ db }, ...args) => (await listOfOrders.returns(db, ...args)).map(toReturn),
  orderNotes: async ({ db }, ...args) =>
    (await listOfOrders.orderNotes(db, ...args)).map(
      ({ id, order_id: orderId, text, created_at: createdAt }) => ({
        id,
        orderId,
        text,
        createdAt: createdAt.toISOString(),
      }),
    ),
  // Issued documents survive an erasure, so the export shows their data about the buyer.
  documents: async (context, ...args) => {
    const rows = await listOfOrders.documents(context.db, ...args);
    return Promise.all(
      rows.map(async (row) => ({
        ...(await toDocument(context, row)),
        buyer: toDocumentContent(row).buyer,
      })),
    );
  },
};

const pageOrders = 200;
/** Limit per store, because an export of a customer reads the store's whole log. */
const exportsOfStore = { perMinute: 30, burst: 30 };

/**
 * Exports all data about a customer as one JSON document, which is read while the client receives it:
 * `decisions.md 15.7`. If it cannot be completed, the answer breaks off and is logged.
 * @throws not_found, rate_limited, resource_unavailable if a service with data is unreachable
 */
export async function exportCustomer(context: Context, storeId: string, customerId: string): Promise<Answer> {
  const { db, cache } = context;
  await enforceRateLimit(cache, `exports-of:${storeId}`, exportsOfStore);
  const [envelope, note, emails, orderIds] = await Promise.all([
    findCustomerEnvelope(db, storeId, customerId),
    findNote(db, storeId, customerId),
    listEmails(db, storeId, customerId),
    listNewestOrderIds(db, storeId, customerId),
  ]);
  const query = { storeId, customerId, emails, orderIds };
  if (envelope === null || note === null) throw errors.not_found();
  // Read before the answer begins, when an unreachable service can still be reported.
  const firstPages = await Promise.all(
    externalSources.map((source) => fetchExternalPage(context, source, { ...query, after: null })),
  );

  async function* parts() {
    yield `${envelope!.slice(0, -1)},"note":${JSON.stringify(note)},"orders":[`;
    for (let last: number | null = 0; last !== null; ) {
      const page = await listCustomerOrders(db, storeId, customerId, last, pageOrders);
      yield (last > 0 && page.items ? ',' : '') + page.items;
      last = page.last;
    }
    yield ']';
    for (const [key, list] of Object.entries(ofOrders)) {
      yield `,"${key}":[`;
      let isFirst = true;
      for (let last: number | null = 0; last !== null; ) {
        const page = await listCustomerOrderIds(db, storeId, customerId, last, pageOrders);
        const items = page.ids.length > 0 ? await list(context, storeId, page.ids) : [];
        const text = items.map((item) => JSON.stringify(item)).join();
        yield text === '' ? '\n' : (isFirst ? '' : ',') + text;
        if (text !== '') isFirst = false;
        last = page.last;
      }
      yield ']';
    }
    for (const [i, source] of externalSources.entries()) {
      yield `,"${source.key}":[`;
      let isFirst = true;
      for (let page: CustomerDataPage | null = firstPages[i]!; page; ) {
        const items = page.items.map((item) => JSON.stringify(item));
        // Sends a line break for an empty page, so that proxies see progress.
        yield items.length > 0 ? (isFirst ? '' : ',') + items.join() : '\n';
        if (items.length > 0) isFirst = false;
        const { next }: CustomerDataPage = page;
        page = next === null ? null : await fetchExternalPage(context, source, { ...query, after: next });
      }
      yield ']';
    }
    yield '}';
  }
  const disposition = `attachment; filename="${customerId}.json"`;
  return new Answer(Readable.from(parts(), { objectMode: false }), jsonType, {
    'content-disposition': disposition,
  });
}

async function fetchExternalPage(
  { peers }: Pick<Context, 'peers'>,
  { service, path }: (typeof externalSources)[number],
  query: CustomerDataQuery,
): Promise<CustomerDataPage> {
  const page = await peers.call<CustomerDataPage>(service, 'POST', path, query);
  if (!page) throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
  return page;
}
