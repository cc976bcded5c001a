import { randomUUID } from 'node:crypto';
import { eventually } from '@waybill/testing';
import { expectStatus, joinBy, newKey, newPerson, type Person, verify } from '../../testing/accounts.ts';
import { type Caller, type Reply, send } from '../../testing/client.ts';
import { jpegOf } from '../../testing/uploads.ts';

/** A prepared request that changes something, with the GET that shows the state. */
export interface Try {
  path: string;
  json?: unknown;
  read?: string;
}
/** How to prepare a request, by its operation in the API document. */
type Recipes = Record<string, (of: Shop) => Promise<Try> | Try>;

/** The store and callers of a trial: the request comes from a credential or from the owner. */
export interface Shop {
  owner: Person;
  storeId: string;
  key: Caller;
  /** Creates an item with the credential and returns its id. */
  create(path: string, json: object): Promise<string>;
  upload(file: Buffer, name: string, headers?: Record<string, string>): Promise<Reply>;
  baseUrl: string;
  org: string;
  receiverUrl: string;
}

export const v1 = '/api/v1';
export const unique = () => randomUUID().slice(0, 13);
export const variants = [{ name: '100 g', priceCents: 250, stock: 1000 }];
const document = (text: string) => ({
  rootId: 'root',
  nodes: [
    { id: 'root', type: 'section', children: ['text'] },
    { id: 'text', type: 'text', props: { specials: { text } }, children: [] },
  ],
});

export const product = () => ({ name: `Tea ${unique()}`, status: 'active', variants });
export const customer = () => ({ email: `${unique()}@example.com` });
/** Returns a discount that no order of another trial uses. */
const discount = () => ({ title: unique(), code: unique(), kind: 'percentage', percent: '10' });
const page = () => ({ name: `Page ${unique()}` });
const article = () => ({ title: `Article ${unique()}` });
const customField = () => ({
  entity: 'product',
  key: `k${randomUUID().slice(0, 8)}`,
  name: unique(),
  type: 'text',
});
const productCategory = () => ({ name: `Tea ${unique()}` });
const category = () => ({ name: 'Events', slug: `events-${unique()}` });
const hook = ({ receiverUrl }: Shop) => ({ url: receiverUrl, events: ['product.created'] });

/** Returns recipes for POST, PUT and DELETE of a resource with a collection and items. */
function crud(path: string, input: (of: Shop) => object, change: 'PUT' | 'PATCH' = 'PUT'): Recipes {
  const one = async (of: Shop) => `${v1}/${path}/${await of.create(path, input(of))}`;
  return {
    [`POST ${v1}/${path}`]: (of) => ({ path: `${v1}/${path}`, json: input(of) }),
    [`${change} ${v1}/${path}/{id}`]: async (of) => {
      const item = await one(of);
      return { path: item, json: input(of), read: item };
    },
    [`DELETE ${v1}/${path}/{id}`]: async (of) => {
      const item = await one(of);
      return { path: item, read: item };
    },
  };
}

export async function order({ key }: Shop): Promise<object> {
  const { body } = expectStatus(await key('POST', `${v1}/products`, product()), 201);
  return {
    items: [{ variantId: body.product.variants[0].id, quantity: 1 }],
    // Other trials of the store set zones.
    customer: { name: 'Bob', ...customer(), shippingAddress: { country: 'GB' } },
  };
}

const paymentMethod = () => ({ provider: 'manual', name: unique() });

async function newPaymentMethod({ owner, storeId }: Shop): Promise<string> {
  const path = `/api/stores/${storeId}/payment-methods`;
  const { body } = expectStatus(await owner.call('POST', path, paymentMethod()), 201);
  return `${path}/${body.paymentMethod.id}`;
}

/** A price so high that only one method accepts it, so that other orders of the store need not choose a method. */
const dearCents = 5_000_000;

/** Creates a payment that waits for a shopper's transfer. */
async function newTransfer({ owner, storeId, key, baseUrl }: Shop): Promise<string> {
  const store = `/api/stores/${storeId}`;
  const method = { ...paymentMethod(), isEnabled: true, minimumCents: dearCents };
  const added = await owner.call('POST', `${store}/payment-methods`, method);
  const dear = { ...product(), variants: [{ priceCents: dearCents, stock: 1 }] };
  const { body } = expectStatus(await key('POST', `${v1}/products`, dear), 201);
  const placed = await send(baseUrl, 'POST', `/storefront/${storeId}/orders`, {
    headers: { 'idempotency-key': unique() },
    json: {
      items: [{ variantId: body.product.variants[0].id, quantity: 1 }],
      customer: { name: 'Bob', ...customer(), shippingAddress: { country: 'GB' } },
      paymentMethodId: expectStatus(added, 201).body.paymentMethod.id,
    },
  });
  return `${v1}/payments/${expectStatus(placed, 201).body.payment.id}`;
}

async function newOrder(of: Shop): Promise<string> {
  return (await newOrderOf(of)).item;
}

/** Creates an order. Returns it with all of its units. */
async function newOrderOf(of: Shop): Promise<{ item: string; lines: object[] }> {
  const path = `/api/stores/${of.storeId}/orders`;
  const { body } = expectStatus(await of.owner.call('POST', path, await order(of)), 201);
  const { id, lineItems } = body.order;
  const lines = lineItems.map(({ variantId, quantity }: { variantId: string; quantity: number }) => ({
    variantId,
    quantity,
  }));
  return { item: `${v1}/orders/${id}`, lines };
}

/** Creates a return of a paid order. */
async function newReturn(of: Shop): Promise<string> {
  const { item, lines } = await newOrderOf(of);
  expectStatus(await of.key('POST', `${item}/payments`), 201);
  const { body } = expectStatus(await of.key('POST', `${item}/returns`, { lines }), 201);
  return `${item}/returns/${body.return.id}`;
}

const notesOf = async (of: Shop) => `${(await newOrder(of)).replace(v1, `/api/stores/${of.storeId}`)}/notes`;

/** Creates a product. Returns it with the address of its only variant's stock. */
export async function newStock(key: Caller): Promise<{ item: string; stock: string }> {
  const { body } = expectStatus(await key('POST', `${v1}/products`, product()), 201);
  const item = `${v1}/products/${body.product.id}`;
  return { item, stock: `${item}/variants/${body.product.variants[0].id}/stock` };
}

async function newApp({ owner, org }: Shop): Promise<string> {
  const reply = await owner.call('POST', `/api/orgs/${org}/apps`, {
    name: 'Stars',
    redirectUris: ['https://example.com/cb'],
  });
  return `/api/orgs/${org}/apps/${expectStatus(reply, 201).body.app.id}`;
}

async function newVersion(of: Shop): Promise<string> {
  const app = await newApp(of);
  const reply = await of.owner.call('POST', `${app}/versions`, { scopes: [] });
  return `${app}/versions/${expectStatus(reply, 201).body.version.id}`;
}

async function newAsset({ upload }: Shop): Promise<string> {
  const { body } = expectStatus(await upload(Buffer.concat([...jpegOf(2000)]), 'a.jpg'), 201);
  return `${v1}/media/${body.media.id}`;
}

const newFolder = async ({ create }: Shop): Promise<string> =>
  `${v1}/media-folders/${await create('media-folders', { name: unique() })}`;

const onItem = async (item: string, below = '', json?: unknown): Promise<Try> => ({
  path: `${item}${below}`,
  json,
  read: item,
});

async function withDocument({ owner, storeId, create }: Shop): Promise<string> {
  const id = await create('articles', article());
  const path = `/api/stores/${storeId}/articles/${id}/document`;
  expectStatus(await owner.call('PUT', path, { document: document('Hello') }), 200);
  return id;
}

async function withMember({ owner, baseUrl }: Shop, members: string, role: string): Promise<string> {
  const person = await newPerson(baseUrl);
  await joinBy(owner, members, person, role);
  return `${members}/${person.userId}`;
}
async function withInvitation({ owner }: Shop, invitations: string, role: string): Promise<string> {
  await verify(owner);
  const invited = await owner.call('POST', invitations, { email: `${unique()}@example.com`, role });
  return `${invitations}/${expectStatus(invited, 201).body.invitation.id}`;
}
/** Prepares a trial by an owner who may invite. */
async function verified({ owner }: Shop, attempt: Try): Promise<Try> {
  await verify(owner);
  return attempt;
}
const membersOf = ({ storeId }: Shop) => `/api/stores/${storeId}/members`;
const developersOf = ({ org }: Shop) => `/api/orgs/${org}/members`;

async function withDraft({ owner, storeId, create }: Shop): Promise<string> {
  const item = `/api/stores/${storeId}/pages/${await create('pages', page())}`;
  expectStatus(await owner.call('PUT', `${item}/draft`, { document: document('Hello') }), 200);
  return item;
}

async function newSection({ owner, storeId }: Shop): Promise<string> {
  const path = `/api/stores/${storeId}/sections`;
  const input = { name: 'Top', document: document('Hello') };
  const { body } = expectStatus(await owner.call('POST', path, input), 201);
  return `${path}/${body.section.id}`;
}

async function toRestore({ owner }: Shop, item: string, state: string): Promise<Try> {
  const { body } = expectStatus(await owner.call('GET', `${item}/revisions`), 200);
  return { path: `${item}/revisions/${body.revisions[0].id}/restore`, json: {}, read: `${item}${state}` };
}

async function newDomain({ owner, storeId }: Shop): Promise<string> {
  const path = `/api/stores/${storeId}/domains`;
  const created = await owner.call('POST', path, { hostname: `${unique()}.example.com` });
  return `${path}/${expectStatus(created, 201).body.domain.id}`;
}

/** Creates a submission of a visitor through the form of a live page. */
async function newSubmission({ owner, storeId, key, create, baseUrl }: Shop): Promise<string> {
  const pageId = await create('pages', page());
  const nodes = [
    { id: 'root', type: 'form', children: ['f'] },
    { id: 'f', type: 'field', children: [] },
  ];
  const draft = { document: { rootId: 'root', nodes } };
  expectStatus(await owner.call('PUT', `/api/stores/${storeId}/pages/${pageId}/draft`, draft), 200);
  const { body } = expectStatus(await key('POST', `${v1}/pages/${pageId}/publish`, {}), 200);
  const { pathname } = new URL(body.page.url, baseUrl);
  const html = (await send(baseUrl, 'GET', pathname, { headers: { accept: 'text/html' } })).text;
  const action = / action="(\/storefront[^"]*)"/.exec(html)![1]!;
  const sent = expectStatus(await send(baseUrl, 'POST', action, { json: { field: unique() } }), 201);
  return `${v1}/form-submissions/${sent.body.formSubmission.id}`;
}

async function withTemplate({ owner, storeId }: Shop): Promise<string> {
  const item = `/api/stores/${storeId}/templates/product`;
  expectStatus(await owner.call('PUT', `${item}/draft`, { document: document(unique()) }), 200);
  return item;
}

/** Recipes for changes with a key or a tag; those without a recipe are in `untried` of the trials. */
export const recipes: Recipes = {
  'POST /api/stores/{storeId}/domains': ({ storeId }) => ({
    path: `/api/stores/${storeId}/domains`,
    json: { hostname: `${unique()}.example.com` },
  }),
  'DELETE /api/stores/{storeId}/domains/{domainId}': async (of) => onItem(await newDomain(of)),
  'PUT /api/stores/{storeId}/templates/{kind}/draft': async (of) => {
    const path = `${await withTemplate(of)}/draft`;
    return { path, json: { document: document(unique()) }, read: path };
  },
  'POST /api/stores/{storeId}/templates/{kind}/publish': async (of) =>
    onItem(await withTemplate(of), '/publish', {}),
  'DELETE /api/stores/{storeId}/templates/{kind}': async (of) => onItem(await withTemplate(of)),
  [`DELETE ${v1}/form-submissions/{id}`]: async (of) => onItem(await newSubmission(of)),
  'PUT /api/stores/{storeId}/theme': ({ storeId }) => {
    const path = `/api/stores/${storeId}/theme`;
    return { path, json: { theme: { radius: 4 } }, read: path };
  },
  'POST /api/stores/{storeId}/theme/publish': async ({ owner, storeId }) => {
    const path = `/api/stores/${storeId}/theme`;
    expectStatus(await owner.call('PUT', path, { theme: { spacing: 20 } }), 200);
    return { path: `${path}/publish`, json: {}, read: path };
  },
  [`POST ${v1}/articles/{id}/publish`]: async (of) => {
    const id = await withDocument(of);
    return onItem(`${v1}/articles/${id}`, '/publish', {});
  },
  'PUT /api/stores/{storeId}/articles/{articleId}/document': async (of) =>
    onItem(`/api/stores/${of.storeId}/articles/${await withDocument(of)}/document`, '', {
      document: document(unique()),
    }),
  'PATCH /api/stores/{storeId}/articles/{id}': async (of) =>
    onItem(`/api/stores/${of.storeId}/articles/${await of.create('articles', article())}`, '', {
      title: unique(),
    }),
  'POST /api/stores/{storeId}/articles/{articleId}/convert': async (of) => {
    const item = `/api/stores/${of.storeId}/articles/${await withDocument(of)}`;
    return onItem(item, '/convert', { bodyType: 'html' });
  },
  'POST /api/stores/{storeId}/articles/{articleId}/revisions/{revisionId}/restore': async (of) =>
    toRestore(of, `/api/stores/${of.storeId}/articles/${await withDocument(of)}`, '/document'),
  'POST /api/stores/{storeId}/pages/{pageId}/revisions/{revisionId}/restore': async (of) =>
    toRestore(of, await withDraft(of), '/draft'),
  'POST /api/stores/{storeId}/sections/{sectionId}/revisions/{revisionId}/restore': async (of) =>
    toRestore(of, await newSection(of), ''),
  'POST /api/stores/{storeId}/templates/{kind}/revisions/{revisionId}/restore': async (of) =>
    toRestore(of, await withTemplate(of), '/draft'),
  'DELETE /api/stores/{storeId}/pages/{pageId}/draft': async (of) => onItem(`${await withDraft(of)}/draft`),
  [`POST ${v1}/pages/{id}/unpublish`]: async (of) => {
    const item = (await withDraft(of)).replace(`/api/stores/${of.storeId}`, v1);
    expectStatus(await of.key('POST', `${item}/publish`, {}), 200);
    return onItem(item, '/unpublish', {});
  },
  [`POST ${v1}/webhooks/{id}/replay`]: async (of) => ({
    path: `${v1}/webhooks/${await of.create('webhooks', hook(of))}/replay`,
    json: { since: new Date().toISOString() },
  }),
  [`DELETE ${v1}/webhooks/{id}/replays/{replayId}`]: async (of) => {
    const item = `${v1}/webhooks/${await of.create('webhooks', hook(of))}`;
    const since = new Date().toISOString();
    const { body } = expectStatus(await of.key('POST', `${item}/replay`, { since }), 202);
    const path = `${item}/replays/${body.replay.id}`;
    await eventually(async () => (await of.key('GET', path)).body.replay.state === 'done');
    return { path, read: path };
  },
  [`PATCH ${v1}/media/{id}`]: async (of) => onItem(await newAsset(of), '', { name: unique() }),
  [`DELETE ${v1}/media/{id}`]: async (of) => onItem(await newAsset(of)),
  [`POST ${v1}/media/{id}/restore`]: async (of) => onItem(await newAsset(of), '/restore', {}),
  'POST /api/stores/{storeId}/members': async (of) =>
    verified(of, {
      path: membersOf(of),
      json: { email: (await newPerson(of.baseUrl)).email, role: 'viewer' },
    }),
  'PATCH /api/stores/{storeId}/members/{userId}': async (of) =>
    onItem(await withMember(of, membersOf(of), 'viewer'), '', { role: 'editor' }),
  'DELETE /api/stores/{storeId}/members/{userId}': async (of) =>
    onItem(await withMember(of, membersOf(of), 'viewer')),
  'POST /api/stores/{storeId}/invitations': async (of) =>
    verified(of, {
      path: `/api/stores/${of.storeId}/invitations`,
      json: { email: `${unique()}@example.com`, role: 'viewer' },
    }),
  'DELETE /api/stores/{storeId}/invitations/{invitationId}': async (of) =>
    onItem(await withInvitation(of, `/api/stores/${of.storeId}/invitations`, 'viewer')),
  'POST /api/orgs/{orgId}/invitations': async (of) =>
    verified(of, {
      path: `/api/orgs/${of.org}/invitations`,
      json: { email: `${unique()}@example.com`, role: 'developer' },
    }),
  'DELETE /api/orgs/{orgId}/invitations/{invitationId}': async (of) =>
    onItem(await withInvitation(of, `/api/orgs/${of.org}/invitations`, 'developer')),
  'POST /api/orgs/{orgId}/members': async (of) =>
    verified(of, {
      path: developersOf(of),
      json: { email: (await newPerson(of.baseUrl)).email, role: 'developer' },
    }),
  'PATCH /api/orgs/{orgId}/members/{userId}': async (of) =>
    onItem(await withMember(of, developersOf(of), 'developer'), '', { role: 'owner' }),
  'DELETE /api/orgs/{orgId}/members/{userId}': async (of) =>
    onItem(await withMember(of, developersOf(of), 'developer')),
  'POST /api/orgs/{orgId}/apps/{appId}/client-secret': async (of) =>
    onItem(await newApp(of), '/client-secret', {}),
  'PUT /api/orgs/{orgId}/apps/{appId}/versions/{versionId}/islands': async (of) =>
    onItem(await newVersion(of), '/islands', { islands: [] }),
  [`POST ${v1}/webhooks/{id}/test`]: async (of) => ({
    path: `${v1}/webhooks/${await of.create('webhooks', hook(of))}/test`,
    json: {},
  }),
  [`POST ${v1}/webhooks/{id}/check`]: async (of) => ({
    path: `${v1}/webhooks/${await of.create('webhooks', hook(of))}/check`,
    json: {},
  }),
  [`POST ${v1}/webhooks/{id}/rotate-secret/finish`]: async (of) => {
    const item = `${v1}/webhooks/${await of.create('webhooks', hook(of))}`;
    expectStatus(await of.key('POST', `${item}/rotate-secret`, {}), 200);
    return onItem(item, '/rotate-secret/finish', {});
  },
  ...crud('products', product),
  [`PATCH ${v1}/products/{id}`]: async (of) =>
    onItem(`${v1}/products/${await of.create('products', product())}`, '', { name: `Tea ${unique()}` }),
  [`POST ${v1}/products/{id}/variants/{variantId}/stock`]: async ({ key }) => {
    const { item, stock } = await newStock(key);
    return { path: stock, json: { delta: -1 }, read: item };
  },
  [`PATCH ${v1}/products/{id}/variants/{variantId}`]: async ({ key }) => {
    const { item, stock } = await newStock(key);
    return { path: stock.replace(/\/stock$/, ''), json: { weightGrams: 120 }, read: item };
  },
  ...crud('categories', productCategory, 'PATCH'),
  ...Object.fromEntries(
    [['PUT', 'productIds'] as const, ['POST', 'add'] as const].map(([method, member]) => [
      `${method} ${v1}/categories/{id}/products`,
      async (of: Shop) => {
        const id = await of.create('products', product());
        return onItem(`${v1}/categories/${await of.create('categories', productCategory())}`, '/products', {
          [member]: [id],
        });
      },
    ]),
  ),
  ...crud('custom-fields', customField, 'PATCH'),
  [`PATCH ${v1}/custom-fields/{id}`]: async (of) =>
    onItem(`${v1}/custom-fields/${await of.create('custom-fields', customField())}`, '', { name: unique() }),
  ...crud('customers', customer),
  ...crud('pages', page, 'PATCH'),
  ...crud('articles', article),
  ...crud('blog-categories', category),
  ...crud('webhooks', hook),
  ...crud('discounts', discount, 'PATCH'),
  [`POST ${v1}/discounts/{id}/codes`]: async (of) => ({
    path: `${v1}/discounts/${await of.create('discounts', discount())}/codes`,
    json: { count: 2 },
  }),
  [`DELETE ${v1}/discounts/{id}/codes/{code}`]: async (of) => {
    const item = `${v1}/discounts/${await of.create('discounts', discount())}`;
    const { body } = expectStatus(await of.key('POST', `${item}/codes`, { count: 1 }), 201);
    return { path: `${item}/codes/${body.codes[0]}` };
  },
  'POST /api/stores/{storeId}/payment-methods': ({ storeId }) => ({
    path: `/api/stores/${storeId}/payment-methods`,
    json: paymentMethod(),
  }),
  'PATCH /api/stores/{storeId}/payment-methods/{methodId}': async (of) =>
    onItem(await newPaymentMethod(of), '', { name: unique() }),
  'DELETE /api/stores/{storeId}/payment-methods/{methodId}': async (of) => onItem(await newPaymentMethod(of)),
  'PUT /api/stores/{storeId}/taxes': ({ storeId }) => {
    const path = `/api/stores/${storeId}/taxes`;
    return { path, json: { displayNote: unique() }, read: path };
  },
  'POST /api/stores/{storeId}/taxes/presets': ({ storeId }) => ({
    path: `/api/stores/${storeId}/taxes/presets`,
    json: { preset: 'no' },
  }),
  'PUT /api/stores/{storeId}/shipping': ({ storeId }) => {
    const path = `/api/stores/${storeId}/shipping`;
    const rate = { name: unique(), kind: 'flat', priceCents: 0 };
    return { path, json: { zones: [{ name: 'World', countries: ['*'], rates: [rate] }] }, read: path };
  },
  [`PATCH ${v1}/orders/{id}`]: async (of) => onItem(await newOrder(of), '', { payment: 'paid' }),
  [`POST ${v1}/orders/{id}/payments`]: async (of) => {
    const item = await newOrder(of);
    return { path: `${item}/payments`, json: { amountCents: 1 } };
  },
  [`POST ${v1}/payments/{id}/capture`]: async (of) => ({
    path: `${await newTransfer(of)}/capture`,
    json: {},
  }),
  [`POST ${v1}/payments/{id}/void`]: async (of) => ({ path: `${await newTransfer(of)}/void`, json: {} }),
  'POST /api/stores/{storeId}/orders/{orderId}/notes': async (of) => ({
    path: await notesOf(of),
    json: { text: 'Call before.' },
  }),
  'DELETE /api/stores/{storeId}/orders/{orderId}/notes/{noteId}': async (of) => {
    const path = await notesOf(of);
    const { body } = expectStatus(await of.owner.call('POST', path, { text: 'Call before.' }), 201);
    return { path: `${path}/${body.note.id}` };
  },
  [`POST ${v1}/orders/{id}/refunds`]: async (of) => {
    const item = await newOrder(of);
    expectStatus(await of.key('POST', `${item}/payments`), 201);
    return { path: `${item}/refunds`, json: { amountCents: 1 } };
  },
  [`POST ${v1}/orders/{id}/returns`]: async (of) => {
    const { item, lines } = await newOrderOf(of);
    return { path: `${item}/returns`, json: { lines } };
  },
  [`PATCH ${v1}/orders/{id}/returns/{returnId}`]: async (of) =>
    onItem(await newReturn(of), '', { note: unique() }),
  [`POST ${v1}/orders/{id}/returns/{returnId}/refund`]: async (of) => ({
    path: `${await newReturn(of)}/refund`,
    json: {},
  }),
  [`POST ${v1}/orders/{id}/fulfillments`]: async (of) => {
    const item = await newOrder(of);
    return { path: `${item}/fulfillments`, json: { carrier: 'dhl' } };
  },
  [`PATCH ${v1}/orders/{id}/fulfillments/{fulfillmentId}`]: async (of) => {
    const path = `${await newOrder(of)}/fulfillments`;
    const { body } = expectStatus(await of.key('POST', path, {}), 201);
    return onItem(`${path}/${body.fulfillment.id}`, '', { trackingNumber: unique() });
  },
  [`POST ${v1}/orders/{id}/documents`]: async (of) => {
    const item = await newOrder(of);
    return { path: `${item}/documents`, json: { kind: 'packingSlip' } };
  },
  'PUT /api/stores/{storeId}/documents/settings': ({ storeId }) => {
    const path = `/api/stores/${storeId}/documents/settings`;
    return { path, json: { footer: unique() }, read: path };
  },
  'PUT /api/stores/{storeId}/mail-templates/{kind}': ({ storeId }) => {
    const path = `/api/stores/${storeId}/mail-templates/orderPlaced`;
    return { path, json: { subject: unique() }, read: path };
  },
  // After a deletion, the default text takes its place.
  'DELETE /api/stores/{storeId}/mail-templates/{kind}': ({ storeId }) => {
    const path = `/api/stores/${storeId}/mail-templates/refunded`;
    return { path, read: path };
  },
  'POST /api/stores/{storeId}/mail-templates/{kind}/test': ({ storeId }) => ({
    path: `/api/stores/${storeId}/mail-templates/orderPlaced/test`,
    json: { locale: 'en' },
  }),
  'PUT /api/stores/{storeId}/mail-settings': ({ storeId }) => {
    const path = `/api/stores/${storeId}/mail-settings`;
    return { path, json: { senderName: unique() }, read: path };
  },
  [`PUT ${v1}/orders/{id}/custom-fields`]: async (of) => {
    const key = `k${randomUUID().slice(0, 8)}`;
    await of.create('custom-fields', { entity: 'order', key, name: 'Gift', type: 'text' });
    return onItem(await newOrder(of), '/custom-fields', { customFields: { [key]: 'yes' } });
  },
  [`PUT ${v1}/orders/{id}/payment-link`]: async (of) =>
    onItem(await newOrder(of), '/payment-link', { url: 'https://pay.example/o/1' }),
  'POST /api/stores/{storeId}/orders': async (of) => ({
    path: `/api/stores/${of.storeId}/orders`,
    json: await order(of),
  }),
  [`POST ${v1}/pages/{id}/publish`]: async (of) => {
    const item = (await withDraft(of)).replace(`/api/stores/${of.storeId}`, v1);
    return { path: `${item}/publish`, json: {}, read: item };
  },
  'PUT /api/stores/{storeId}/pages/{pageId}/draft': async (of) => {
    const path = `/api/stores/${of.storeId}/pages/${await of.create('pages', page())}/draft`;
    return { path, json: { document: document(unique()) }, read: path };
  },
  'POST /api/stores/{storeId}/sections': ({ storeId }) => ({
    path: `/api/stores/${storeId}/sections`,
    json: { name: 'Top', document: document('Hello') },
  }),
  ...Object.fromEntries(
    ['PUT', 'DELETE'].map((method) => [
      `${method} /api/stores/{storeId}/sections/{sectionId}`,
      async (of: Shop) => {
        const item = await newSection(of);
        return { path: item, json: { name: unique(), document: document('Hello') }, read: item };
      },
    ]),
  ),
  'PATCH /api/stores/{storeId}/customers/{customerId}/note': async (of) => {
    const path = `/api/stores/${of.storeId}/customers/${await of.create('customers', customer())}/note`;
    return { path, json: { note: unique() }, read: path };
  },
  'POST /api/stores/{storeId}/customers/{customerId}/erase': async (of) => ({
    path: `/api/stores/${of.storeId}/customers/${await of.create('customers', customer())}/erase`,
  }),
  [`PUT ${v1}/translations`]: async (of) => {
    const entityId = await of.create('articles', article());
    const entry = { locale: 'de', entityType: 'article', entityId, field: 'title', value: 'Tee' };
    return { path: `${v1}/translations`, json: { entries: [entry] } };
  },
  [`POST ${v1}/media-folders`]: () => ({ path: `${v1}/media-folders`, json: { name: unique() } }),
  [`PATCH ${v1}/media-folders/{id}`]: async (of) => onItem(await newFolder(of), '', { name: unique() }),
  [`DELETE ${v1}/media-folders/{id}`]: async (of) => onItem(await newFolder(of)),
  'POST /api/stores/{storeId}/media/purge': async (of) => {
    const asset = await newAsset(of);
    expectStatus(await of.key('DELETE', asset), 204);
    return { path: `/api/stores/${of.storeId}/media/purge`, json: { ids: [asset.split('/').at(-1)] } };
  },
  [`POST ${v1}/webhooks/{id}/rotate-secret`]: async (of) => {
    const item = `${v1}/webhooks/${await of.create('webhooks', hook(of))}`;
    return { path: `${item}/rotate-secret`, json: {}, read: item };
  },
  'POST /api/stores/{storeId}/api-keys': ({ storeId }) => ({
    path: `/api/stores/${storeId}/api-keys`,
    json: { name: 'Key', scopes: ['products.read'] },
  }),
  'DELETE /api/stores/{storeId}/api-keys/{keyId}': async ({ owner, storeId }) =>
    onItem(`/api/stores/${storeId}/api-keys/${(await newKey(owner, storeId, ['products.read'])).keyId}`),
  'POST /api/stores': () => ({ path: '/api/stores', json: { name: 'Another' } }),
  'PATCH /api/stores/{storeId}': ({ storeId }) => {
    const path = `/api/stores/${storeId}`;
    return { path, json: { name: `Store ${unique()}` }, read: path };
  },
  'POST /api/orgs': () => ({ path: '/api/orgs', json: { name: 'Another' } }),
  'POST /api/orgs/{orgId}/stores': ({ org }) => ({
    path: `/api/orgs/${org}/stores`,
    json: { name: 'Bench' },
  }),
  'DELETE /api/orgs/{orgId}/stores/{storeId}': async ({ owner, org }) => {
    const path = `/api/orgs/${org}/stores`;
    const { body } = expectStatus(await owner.call('POST', path, { name: 'Bench' }), 201);
    return { path: `${path}/${body.store.id}` };
  },
  'POST /api/orgs/{orgId}/apps': ({ org }) => ({
    path: `/api/orgs/${org}/apps`,
    json: { name: 'Stars', redirectUris: ['https://example.com/cb'] },
  }),
  'PATCH /api/orgs/{orgId}/apps/{appId}': async (of) => {
    const path = await newApp(of);
    return { path, json: { name: unique() }, read: path };
  },
  'DELETE /api/orgs/{orgId}/apps/{appId}/icon': async (of) => onItem(await newApp(of), '/icon'),
  'POST /api/orgs/{orgId}/apps/{appId}/versions': async (of) => ({
    path: `${await newApp(of)}/versions`,
    json: { scopes: [] },
  }),
  'PUT /api/orgs/{orgId}/apps/{appId}/versions/{versionId}/blocks': async (of) => {
    const version = await newVersion(of);
    return { path: `${version}/blocks`, json: { blocks: [] }, read: version };
  },
  'POST /api/orgs/{orgId}/apps/{appId}/versions/{versionId}/submit': async (of) => {
    const version = await newVersion(of);
    return { path: `${version}/submit`, json: {}, read: version };
  },
};
