import { type AuditAction, type AuditEntry, permissions } from '@waybill/contracts';
import { eventually, type Receiver, startReceiver } from '@waybill/testing';
import {
  expectStatus,
  join,
  newKey,
  newPerson,
  newStore,
  type Person,
  verify,
} from '../../testing/accounts.ts';
import { type Caller, createCaller, type Reply, send } from '../../testing/client.ts';
import { nextInvitation } from '../../testing/operators.ts';
import { formOf, noisyPng, upload } from '../../testing/uploads.ts';
import { codeChallenge } from './pkce.ts';
import { documentOf, heading, sectionRef } from './site.ts';
import { type SharedSystem, topologies } from './topologies.ts';

const codeOf = ({ status, body }: Reply) => `${status} ${body?.code}`;
const app = { name: 'Reviews', redirectUris: ['https://reviews.example/back'] };
const back = { redirectUri: app.redirectUris[0], codeChallenge };

/** The actions of a person, each with a request id of its own, and the entries that an audit should have. */
class Acts {
  readonly expected: object[] = [];
  readonly #run = crypto.randomUUID();

  by(actor: Partial<AuditEntry['actor']>, call: Caller, known: { ip?: null } = {}) {
    return async (
      action: AuditAction,
      [method, path, json]: [method: string, path: string, json?: unknown],
      /** The target, or a function that finds it in the answer. */
      target: string | ((body: Reply['body']) => string),
      changed: string[] = [],
    ) => {
      const requestId = `${this.#run}-${this.expected.length}`;
      // Claims of a client about itself are not trusted.
      const headers = { 'x-request-id': requestId, 'x-waybill-address': '192.0.2.66' };
      const reply = await call(method, path, json, headers);
      if (reply.status >= 300) throw new Error(`${action}: ${reply.text}`);
      const id = typeof target === 'string' ? target : target(reply.body);
      this.expected.unshift({
        action,
        actor,
        target: { type: action.split('.')[0], id },
        changed,
        requestId,
        ip: expect.stringMatching(/127\.0\.0\.1|::1/),
        ...known,
      });
      return reply.body;
    };
  }

  system(action: AuditAction, id: string): void {
    const actor = { type: 'system', id: null, name: null };
    this.expected.unshift({ action, actor, target: { type: action.split('.')[0], id }, ip: null });
  }
}

describe.each(topologies)('$name', ({ share, inOneTopology }) => {
  let system: SharedSystem;
  let url: string;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    system = await share();
    url = system.baseUrl;
  });
  afterAll(() => receiver.close());

  /**
   * Makes a person a member through the route that invites: the inviter causes one entry, the person who accepts two.
   */
  async function invite(
    act: ReturnType<Acts['by']>,
    acts: Acts,
    members: string,
    guest: Person,
    role: string,
    name = 'Ed',
    known: object = {},
  ): Promise<void> {
    await verify(guest);
    const { invitation } = await act(
      'invitation.created',
      ['POST', members, { email: guest.email, role }],
      (b) => b.invitation.id,
    );
    const token = await nextInvitation(url, guest.email);
    const by = acts.by({ type: 'user', id: guest.userId, name }, guest.call);
    await by('invitation.accepted', ['POST', '/api/invitations/accept', { token }], invitation.id);
    const accepted = { ...acts.expected.shift(), ...known };
    const target = { type: 'member', id: guest.userId };
    acts.expected.unshift({ ...accepted, action: 'member.added', target }, accepted);
  }

  const audit = async (call: Caller, path: string): Promise<AuditEntry[]> =>
    expectStatus(await call('GET', path), 200).body.entries;
  /** Creates an organisation with an app, with each action recorded. */
  async function openOrg(developer: Person, acts: Acts) {
    const me = { type: 'user', id: developer.userId, name: 'Dora' } as const;
    const act = acts.by(me, developer.call);
    const { org } = await act('organisation.created', ['POST', '/api/orgs', { name: 'O' }], (b) => b.org.id);
    const path = `/api/orgs/${org.id}`;
    const created = await act('app.created', ['POST', `${path}/apps`, app], ({ app: { id } }) => id);
    const appId: string = created.app.id;
    const versions = `${path}/apps/${appId}/versions`;
    const submit = async (scopes: string[]): Promise<string> => {
      const { version } = expectStatus(await developer.call('POST', versions, { scopes }), 201).body;
      await act('appVersion.submitted', ['POST', `${versions}/${version.id}/submit`], version.id);
      return version.id;
    };
    const login = await send(url, 'POST', '/api/auth/login', { json: system.demo.reviewer });
    const { user, accessToken } = expectStatus(login, 200).body;
    // The address of the reviewer is visible only to the platform.
    const reviewer = { type: 'user', id: user.id, name: user.name } as const;
    const review = acts.by(reviewer, createCaller(url, accessToken), { ip: null });
    return { act, path, appId, versions, submit, review };
  }

  test("a store's audit tells each act with who, from where and by which request", async () => {
    const [owner, ed] = await Promise.all([newPerson(url, 'Ann'), newPerson(url, 'Ed')]);
    await verify(owner);
    const storeId = await newStore(owner);
    const store = `/api/stores/${storeId}`;
    const acts = new Acts();
    const act = acts.by({ type: 'user', id: owner.userId, name: 'Ann' }, owner.call);

    await invite(act, acts, `${store}/members`, ed, 'viewer');
    await act(
      'member.roleChanged',
      ['PATCH', `${store}/members/${ed.userId}`, { role: 'editor' }],
      ed.userId,
    );
    await act('member.removed', ['DELETE', `${store}/members/${ed.userId}`], ed.userId);
    const guest = { email: `${crypto.randomUUID()}@example.com`, role: 'viewer' };
    const { invitation } = await act(
      'invitation.created',
      ['POST', `${store}/invitations`, guest],
      (b) => b.invitation.id,
    );
    await act('invitation.withdrawn', ['DELETE', `${store}/invitations/${invitation.id}`], invitation.id);
    const settings = { name: 'Tea Rooms', checkout: { maxQuantity: 9 } };
    await act('store.updated', ['PATCH', store, settings], storeId, ['name', 'maxQuantity']);
    const forKey = { name: 'Import', scopes: permissions };
    const { apiKey, secret } = await act(
      'apiKey.created',
      ['POST', `${store}/api-keys`, forKey],
      ({ apiKey: { id } }) => id,
    );
    const api = createCaller(url, secret);
    const byKey = acts.by({ type: 'key', id: apiKey.id, name: 'Import' }, api);

    const person = { email: guest.email, name: 'Gil' };
    const { customer } = expectStatus(await api('POST', '/api/v1/customers', person), 201).body;
    await act('customer.erased', ['POST', `${store}/customers/${customer.id}/erase`], customer.id);

    const hook = { url: `${receiver.url}/secret`, events: ['order.created'] };
    const { webhook } = await byKey(
      'webhook.created',
      ['POST', '/api/v1/webhooks', hook],
      ({ webhook: { id } }) => id,
    );
    const at = `/api/v1/webhooks/${webhook.id}`;
    const replaced = { ...hook, description: 'Ours' };
    await byKey('webhook.updated', ['PUT', at, replaced], webhook.id, ['description']);
    await byKey('webhook.secretRotated', ['POST', `${at}/rotate-secret`, {}], webhook.id);
    await byKey('webhook.rotationFinished', ['POST', `${at}/rotate-secret/finish`], webhook.id);
    await byKey(
      'webhook.replayStarted',
      ['POST', `${at}/replay`, { since: '2026-01-01T00:00:00Z' }],
      webhook.id,
    );
    await byKey('webhook.deleted', ['DELETE', at], webhook.id);

    const { page } = expectStatus(await api('POST', '/api/v1/pages', { name: 'Home' }), 201).body;
    const words = documentOf([heading('Tea')]);
    const created = await owner.call('POST', `${store}/sections`, { name: 'Footer', document: words });
    const { section } = expectStatus(created, 201).body;
    const document = documentOf([sectionRef(section.id)]);
    expectStatus(await owner.call('PUT', `${store}/pages/${page.id}/draft`, { document }), 200);
    await byKey('page.published', ['POST', `/api/v1/pages/${page.id}/publish`], page.id);
    const { requestId, ...published } = acts.expected[0] as { requestId: string };
    const target = { type: 'section', id: section.id };
    acts.expected.splice(1, 0, { ...published, requestId, action: 'section.published', target });
    await byKey('page.unpublished', ['POST', `/api/v1/pages/${page.id}/unpublish`], page.id);
    await byKey('page.deleted', ['DELETE', `/api/v1/pages/${page.id}`], page.id);
    const article = { title: 'On tea', status: 'published' };
    const written = await act(
      'article.published',
      ['POST', `${store}/articles`, article],
      (body) => body.article.id,
    );
    const articlePath = `${store}/articles/${written.article.id}`;
    await act('article.unpublished', ['PATCH', articlePath, { status: 'draft' }], written.article.id);
    await act('article.deleted', ['DELETE', articlePath], written.article.id);

    const variants = [{ priceCents: 250, stock: 9 }];
    const product = { name: 'Tea', status: 'active', variants };
    const sold = expectStatus(await api('POST', '/api/v1/products', product), 201).body.product;
    const checkout = {
      items: [{ variantId: sold.variants[0].id, quantity: 1 }],
      customer: { name: 'Bob Ross', email: 'bob@example.com' },
    };
    const placed = await send(url, 'POST', `/storefront/${storeId}/orders`, {
      headers: { 'idempotency-key': 'one' },
      json: checkout,
    });
    const orderId = expectStatus(placed, 201).body.order.id;
    const order = `/api/v1/orders/${orderId}`;
    await byKey('order.paymentChanged', ['PATCH', order, { payment: 'paid' }], orderId);
    await byKey('order.fulfillmentChanged', ['PATCH', order, { fulfillment: 'fulfilled' }], orderId);
    await byKey('order.statusChanged', ['PATCH', order, { status: 'completed' }], orderId);
    await act('order.cancelled', ['PATCH', `${store}/orders/${orderId}`, { status: 'cancelled' }], orderId);

    const form = formOf([noisyPng(40, 30)], 'photo.png');
    const { media } = (await upload(url, owner.accessToken, form, { path: `${store}/media` })).body;
    expectStatus(await owner.call('DELETE', `${store}/media/${media.id}`), 204);
    await act('media.purged', ['POST', `${store}/media/purge`, { ids: [media.id] }], media.id);

    const key = await newKey(owner, storeId, permissions);
    const named = { type: 'apiKey', id: key.keyId };
    acts.expected.unshift({ action: 'apiKey.created', target: named });
    await act('apiKey.revoked', ['DELETE', `${store}/api-keys/${key.keyId}`], key.keyId);

    const entries = await audit(owner.call, `${store}/audit?limit=100`);
    expect(entries).toMatchObject([...acts.expected, { action: 'store.created' }]);
    // It contains nothing about secrets or customers.
    expect(JSON.stringify(entries)).not.toMatch(/secret"|Bob|wbk_|whsec_/i);
    expect(new Set(entries.map(({ at: time }) => new Date(time).toISOString() === time))).toEqual(
      new Set([true]),
    );

    // A repetition, which changes nothing, makes no entry, and neither does a refused request.
    expectStatus(await owner.call('DELETE', `${store}/api-keys/${key.keyId}`), 204);
    expectStatus(await owner.call('PATCH', store, settings), 200);
    expect((await owner.call('DELETE', `${store}/members/${owner.userId}`)).status).toBe(409);
    expect((await audit(owner.call, `${store}/audit?limit=100`)).length).toBe(entries.length);

    const walked: AuditEntry[] = [];
    let after = '';
    do {
      const { body } = expectStatus(await owner.call('GET', `${store}/audit?limit=7${after}`), 200);
      walked.push(...body.entries);
      after = body.nextCursor && `&after=${body.nextCursor}`;
    } while (after);
    expect(walked).toEqual(entries);
    const of = (which: (entry: AuditEntry) => boolean) => entries.filter(which);
    expect(await audit(owner.call, `${store}/audit?actor=${apiKey.id}`)).toEqual(
      of(({ actor }) => actor.id === apiKey.id),
    );
    expect(await audit(owner.call, `${store}/audit?action=apiKey.created`)).toEqual(
      of(({ action }) => action === 'apiKey.created'),
    );
    expect(await audit(owner.call, `${store}/audit?action=page.published&actor=${owner.userId}`)).toEqual([]);
    const instant = entries[3]!.at;
    expect(await audit(owner.call, `${store}/audit?since=${instant}&limit=100`)).toEqual(
      of((entry) => entry.at >= instant),
    );
    expect(await audit(owner.call, `${store}/audit?until=${instant}&limit=100`)).toEqual(
      of((entry) => entry.at < instant),
    );
    expect(codeOf(await owner.call('GET', `${store}/audit?since=yesterday`))).toBe('400 invalid_body');
    const { nextCursor } = (await owner.call('GET', `${store}/audit?limit=7`)).body;
    const other = await newStore(owner);
    for (const path of [
      `${store}/audit?after=x`,
      `${store}/audit?action=apiKey.created&after=${nextCursor}`,
      `${store}/audit?since=2026-01-01&after=${nextCursor}`,
      `/api/stores/${other}/audit?after=${nextCursor}`,
    ]) {
      expect(codeOf(await owner.call('GET', path))).toBe('400 invalid_cursor');
    }
  });

  inOneTopology('it needs a signed-in admin or owner', async () => {
    const [owner, admin, editor, viewer, stranger] = await Promise.all(
      ['A', 'B', 'C', 'D', 'E'].map((name) => newPerson(url, name)),
    );
    const storeId = await newStore(owner!);
    for (const [person, role] of [
      [admin, 'admin'],
      [editor, 'editor'],
      [viewer, 'viewer'],
    ] as const)
      await join(owner!, storeId, person!, role);
    const path = `/api/stores/${storeId}/audit`;
    expect((await audit(admin!.call, path)).length).toBe(10);
    const refused = [editor, viewer, stranger].map(async (person) => codeOf(await person!.call('GET', path)));
    expect(await Promise.all(refused)).toEqual([
      '403 insufficient_role',
      '403 insufficient_role',
      '404 not_found',
    ]);
    const key = createCaller(url, (await newKey(owner!, storeId, permissions)).secret);
    expect((await key('GET', path)).status).toBe(401);
    expect((await createCaller(url, undefined)('GET', path)).status).toBe(401);
    expect(codeOf(await owner!.call('POST', path, {}))).toBe('405 method_not_allowed');
  });

  test("an organisation's tells of its apps and their reviews, a store's of what it has installed", async () => {
    const [developer, owner, dev] = await Promise.all(
      ['Dora', 'Ann', 'Dev'].map((name) => newPerson(url, name)),
    );
    await verify(developer!);
    const [acts, inStore] = [new Acts(), new Acts()];
    const { act, path, appId, versions, submit, review } = await openOrg(developer!, acts);
    const storeId = await newStore(owner!);
    const install = `/api/stores/${storeId}/apps/${appId}`;
    const merchant = inStore.by({ type: 'user', id: owner!.userId, name: 'Ann' }, owner!.call);
    const consent = (...scopes: string[]) => ({ scopes, connectOrigins: [] });
    const approve = (id: string) =>
      review('appVersion.approved', ['POST', `/api/review/versions/${id}/approve`], id);

    await invite(act, acts, `${path}/members`, dev!, 'developer', 'Dev', {
      // Identity makes the request to the app platform.
      ip: null,
      requestId: null,
    });
    const renamed = { name: 'Stars', redirectUris: app.redirectUris };
    await act('app.updated', ['PATCH', `${path}/apps/${appId}`, renamed], appId, ['name']);
    await act('app.secretReplaced', ['POST', `${path}/apps/${appId}/client-secret`], appId);
    const first = await submit(['products.read']);
    await approve(first);
    await merchant('app.installed', ['POST', `${install}/install`, consent('products.read')], appId);
    const consentBody = { ...consent('products.read'), ...back };
    await merchant('app.authorized', ['POST', `${install}/authorize`, consentBody], appId);
    const second = await submit(['products.read', 'orders.read']);
    await approve(second);
    await merchant(
      'app.consented',
      ['POST', `${install}/consent`, consent('products.read', 'orders.read')],
      appId,
    );
    await merchant('app.rolledBack', ['POST', `${install}/rollback`, { versionId: first }], appId);
    await approve(await submit(['products.read']));
    inStore.system('app.updated', appId);
    await merchant('app.disabled', ['POST', `${install}/disable`], appId);
    await merchant('app.enabled', ['DELETE', `${install}/disable`], appId);
    await review('app.suspended', ['POST', `/api/review/apps/${appId}/suspend`], appId);
    inStore.system('app.suspended', appId);
    await review('app.restored', ['DELETE', `/api/review/apps/${appId}/suspend`], appId);
    inStore.system('app.restored', appId);
    await merchant('app.uninstalled', ['DELETE', install], appId);
    await act('appVersion.withdrawn', ['POST', `${versions}/${second}/withdraw`], second);
    await act('appVersion.restored', ['DELETE', `${versions}/${second}/withdraw`], second);
    const last = await submit(['products.read']);
    await review(
      'appVersion.rejected',
      ['POST', `/api/review/versions/${last}/reject`, { reason: 'No' }],
      last,
    );
    await act(
      'member.roleChanged',
      ['PATCH', `${path}/members/${dev!.userId}`, { role: 'owner' }],
      dev!.userId,
    );
    expectStatus(await owner!.call('GET', install), 200);

    expect(await audit(developer!.call, `${path}/audit?limit=100`)).toMatchObject(acts.expected);
    // Requests that move installations may reach this one a moment after its answer.
    const ofStore = () => audit(owner!.call, `/api/stores/${storeId}/audit`);
    await eventually(async () => (await ofStore()).length > inStore.expected.length);
    expect(await ofStore()).toMatchObject([...inStore.expected, { action: 'store.created' }]);

    expect((await audit(dev!.call, `${path}/audit`)).length).toBeGreaterThan(0);
    expectStatus(
      await developer!.call('PATCH', `${path}/members/${dev!.userId}`, { role: 'developer' }),
      200,
    );
    expect(codeOf(await dev!.call('GET', `${path}/audit`))).toBe('403 insufficient_role');
    expect(codeOf(await owner!.call('GET', `${path}/audit`))).toBe('404 not_found');
  });
});
