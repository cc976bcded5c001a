import { Readable } from 'node:stream';
import type { KeptAsked, KeptPage } from '@waybill/contracts';
import { Answer, jsonType, takeOrRefuse } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { findCustomerEnvelope, findNote } from '../customers/queries.ts';
import { toFulfillment } from '../dispatch/dispatch.ts';
import { toDocument } from '../documents/documents.ts';
import { contentOf } from '../documents/queries.ts';
import { errors } from '../errors.ts';
import { toPayment } from '../ledger/entries.ts';
import { toRefund } from '../refunding/refunding.ts';
import { toReturn } from '../returns/returns.ts';
import { listEmails, listOfOrders, listOrderIdsOf, listOrdersOf } from './queries.ts';

/** What other services keep of a customer, by its name in the export: each is asked page by page. */
const keptElsewhere = [
  { key: 'formSubmissions', service: 'content', path: '/internal/customer-form-submissions' },
  { key: 'events', service: 'webhooks', path: '/internal/customer-events' },
] as const;

/** What is kept of a customer's orders beside them, by its name in the export, as the API shows it. */
const ofOrders: Readonly<
  Record<string, (context: Context, storeId: string, orderIds: readonly string[]) => Promise<unknown[]>>
> = {
  payments: async ({ db }, ...asked) => (await listOfOrders.payments(db, ...asked)).map(toPayment),
  fulfillments: async ({ db }, ...asked) =>
    (await listOfOrders.fulfillments(db, ...asked)).map(toFulfillment),
  refunds: async ({ db }, ...asked) => (await listOfOrders.refunds(db, ...asked)).map(toRefund),
  returns: async ({ db }, ...asked) => (await listOfOrders.returns(db, ...asked)).map(toReturn),
  orderNotes: async ({ db }, ...asked) =>
    (await listOfOrders.orderNotes(db, ...asked)).map(
      ({ id, order_id: orderId, text, created_at: createdAt }) => ({
        id,
        orderId,
        text,
        createdAt: createdAt.toISOString(),
      }),
    ),
  // Issued documents outlast an erasure: whoever asks sees what they say of the buyer.
  documents: async ({ db, config }, ...asked) =>
    (await listOfOrders.documents(db, ...asked)).map((row) => ({
      ...toDocument(row, config),
      buyer: contentOf(row).buyer,
    })),
};

const pageOrders = 200;
/** An export of a customer goes through the whole log of the store. */
const exportsOfStore = { perMinute: 30, burst: 30 };

/**
 * Everything that is held about a customer, as one JSON document that is read as the client takes it: `decisions.md
 * 15.7`. One that cannot be finished breaks off, and is seen to.
 * @throws not_found, rate_limited, resource_unavailable when a service that keeps something is away
 */
export async function exportCustomer(context: Context, storeId: string, customerId: string): Promise<Answer> {
  const { db, cache } = context;
  await takeOrRefuse(cache, `exports-of:${storeId}`, exportsOfStore);
  const [envelope, note, emails] = await Promise.all([
    findCustomerEnvelope(db, storeId, customerId),
    findNote(db, storeId, customerId),
    listEmails(db, storeId, customerId),
  ]);
  if (envelope === null || note === null) throw errors.not_found();
  // Before anything is sent: that one of them is away can still be said.
  const firstPages = await Promise.all(
    keptElsewhere.map((place) => askKept(context, place, { storeId, customerId, emails, after: null })),
  );

  async function* parts() {
    yield `${envelope!.slice(0, -1)},"note":${JSON.stringify(note)},"orders":[`;
    for (let last: number | null = 0; last !== null; ) {
      const page = await listOrdersOf(db, storeId, customerId, last, pageOrders);
      yield (last > 0 && page.items ? ',' : '') + page.items;
      last = page.last;
    }
    yield ']';
    for (const [key, list] of Object.entries(ofOrders)) {
      yield `,"${key}":[`;
      let isFirst = true;
      for (let last: number | null = 0; last !== null; ) {
        const page = await listOrderIdsOf(db, storeId, customerId, last, pageOrders);
        const items = page.ids.length > 0 ? await list(context, storeId, page.ids) : [];
        const text = items.map((item) => JSON.stringify(item)).join();
        yield text === '' ? '\n' : (isFirst ? '' : ',') + text;
        if (text !== '') isFirst = false;
        last = page.last;
      }
      yield ']';
    }
    for (const [i, place] of keptElsewhere.entries()) {
      yield `,"${place.key}":[`;
      let isFirst = true;
      for (let page: KeptPage | null = firstPages[i]!; page; ) {
        const items = page.items.map((item) => JSON.stringify(item));
        // A line break where a page has nothing: whoever is in between sees that something is done.
        yield items.length > 0 ? (isFirst ? '' : ',') + items.join() : '\n';
        if (items.length > 0) isFirst = false;
        const { next }: KeptPage = page;
        page =
          next === null ? null : await askKept(context, place, { storeId, customerId, emails, after: next });
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

async function askKept(
  { peers }: Pick<Context, 'peers'>,
  { service, path }: (typeof keptElsewhere)[number],
  asked: KeptAsked,
): Promise<KeptPage> {
  const page = await peers.call<KeptPage>(service, 'POST', path, asked);
  if (!page) throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
  return page;
}
