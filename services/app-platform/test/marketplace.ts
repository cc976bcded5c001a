import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AppDataChanged,
  type BlockUse,
  hashCredential,
  InstallChanged,
  newId,
  type Permission,
  type Principal,
  ProductDeleted,
  type Role,
} from '@waybill/contracts';
import { defineConfig, defineService } from '@waybill/kernel';
import {
  createStubService,
  eventually,
  keptConnections,
  openTestDatabase,
  startSystem,
} from '@waybill/testing';
import { type Kysely, sql } from 'kysely';
import request, { type Response } from 'supertest';
import Type from 'typebox';
import type { Block } from '../src/contributions/manifest.ts';
import { appPlatform } from '../src/index.ts';
import type { Tables } from '../src/tables.ts';

export interface Heard {
  name: string;
  storeId: string;
  data: Record<string, unknown>;
}

type Method = 'get' | 'post' | 'put' | 'delete';
export const redirectUri = 'https://app.example.com/installed?from=way%20bill';
/** The verifier that proves at the token endpoint that the same app requested the code (RFC 7636). */
export const codeVerifier = 'the-verifier-of-every-app-here-0123456789-abcdef';
export const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
const secret = 'the secret of every app here';
/** The person who develops every app here and reviews them. */
const insider = 'insider@platform.example';
const insiderId = newId('user');
const noSettings = defineConfig(Type.Object({}));

/** Starts the app platform for tests with apps in the marketplace, and stand-ins for the services that it asks. */
export async function startMarketplace() {
  const heard: Heard[] = [];
  const products = new Set<string>();
  const blockUses: BlockUse[] = [];
  const dataDir = await mkdtemp(join(tmpdir(), 'waybill-marketplace-'));
  const system = await startSystem(
    [appPlatform, listenerInto(heard), catalogWith(products), contentWith(blockUses)],
    { WAYBILL_DATA_DIR: dataDir },
  );
  const url = system.databaseUrl('app-platform');
  const db = await openTestDatabase<Tables>(url, 3);

  async function send(method: Method, path: string, headers: Record<string, string>, body?: unknown) {
    const call = request(system.internalUrl)[method](path).agent(keptConnections).set(headers);
    return body === undefined
      ? call
      : call.set('content-type', 'application/json').send(JSON.stringify(body));
  }
  const as =
    (principal: Principal) =>
    async (method: Method, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      send(method, path, { ...(await system.as(principal)), ...headers }, body);

  return {
    system,
    db,
    heard,
    products,
    blockUses,
    as,
    newApp: () => newApp(db),
    /** Creates the client of a user who is a member of no store. */
    asUser: (userId: string) => as({ kind: 'user', userId, email: 'ann@example.com' }),
    ...reviews(db, as({ kind: 'user', userId: insiderId, email: insider, isReviewer: true })),
    addVersion: (
      appId: string,
      scopes: Permission[],
      { blocks = [], connectOrigins = [] }: { blocks?: string[]; connectOrigins?: string[] } = {},
    ) => addVersion(db, appId, scopes, blocks, connectOrigins),
    /** The user who develops every app here. */
    insiderId,
    /** Creates a merchant's client in a new store, or in the given one. */
    newStore: (storeId = newId('store'), role: Role = 'owner', userId = newId('user')) => {
      const call = as({ kind: 'user', userId, email: 'ann@example.com', storeId, role });
      const path = (rest = '') => `/api/stores/${storeId}/apps${rest}`;
      return {
        storeId,
        get: (rest = '') => call('get', path(rest)),
        post: (rest: string, body: unknown = {}) => call('post', path(rest), body),
        delete: (rest: string) => call('delete', path(rest)),
      };
    },
    internal: (path: string, body?: unknown) =>
      send(
        body === undefined ? 'get' : 'post',
        `/internal/${path}`,
        { authorization: `Bearer ${system.serviceToken}` },
        body,
      ),
    /** Sends a form to an OAuth endpoint; `address` is the network address that the gateway reports. */
    oauth: (
      endpoint: 'token' | 'revoke',
      form: Record<string, string>,
      headers: Record<string, string> = {},
    ) =>
      request(system.internalUrl)
        .post(`/oauth/${endpoint}`)
        .type('form')
        .set({ 'x-waybill-address': '192.0.2.1', ...headers })
        .send(new URLSearchParams(form).toString()),
    /** Publishes the event as catalog does; this process gets it from its own bus. */
    async publishProductDeleted(storeId: string, id: string): Promise<void> {
      const data = JSON.stringify({ product: { id, number: 1, slug: 'x' } });
      await sql`insert into outbox (event_id, name, store_id, data)
        values (${newId('event')}, ${ProductDeleted.name}, ${storeId}, ${data})`.execute(db);
    },
    /** Waits until the app platform has handled a deletion. */
    heardDeletionOf: (storeId: string, id: string) =>
      eventually(() =>
        db
          .selectFrom('deleted_product')
          .selectAll()
          .where('store_id', '=', storeId)
          .where('product_id', '=', id)
          .executeTakeFirst(),
      ),
    async stop() {
      await db.destroy();
      await system.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}
export type Marketplace = Awaited<ReturnType<typeof startMarketplace>>;
export type Store = ReturnType<Marketplace['newStore']>;

async function newApp(db: Kysely<Tables>) {
  const [orgId, appId] = [newId('organisation'), newId('app')];
  await db.insertInto('organisation').values({ id: orgId, name: 'Org' }).execute();
  await db
    .insertInto('org_member')
    .values({ org_id: orgId, user_id: insiderId, email: insider, role: 'owner' })
    .execute();
  await db
    .insertInto('app')
    .values({
      id: appId,
      org_id: orgId,
      name: 'Reviews',
      client_secret_hash: hashCredential(secret),
      redirect_uris: [redirectUri],
    })
    .execute();
  return { appId, secret };
}

/** Creates a submitted version, which a review can approve. Blocks are given by their keys. */
async function addVersion(
  db: Kysely<Tables>,
  appId: string,
  scopes: Permission[],
  blocks: string[],
  connectOrigins: string[],
) {
  const { number } = await db
    .updateTable('app')
    .set((eb) => ({ last_version_number: eb('last_version_number', '+', 1) }))
    .where('id', '=', appId)
    .returning('last_version_number as number')
    .executeTakeFirstOrThrow();
  const id = newId('appVersion');
  const manifest = blocks.map((key): Block => ({ key, name: `The ${key}`, rootId: 'root', nodes: [] }));
  await db
    .insertInto('app_version')
    .values({
      id,
      app_id: appId,
      number,
      state: 'submitted',
      scopes,
      connect_origins: connectOrigins,
      blocks: JSON.stringify(manifest) as never,
    })
    .execute();
  return id;
}

/** Creates the operations of the app's developer and of a platform reviewer on versions and apps. */
function reviews(db: Kysely<Tables>, call: (method: Method, path: string) => Promise<Response>) {
  const review = (method: Method, path: (id: string) => string) => async (id: string) => {
    expect(await call(method, path(id))).toMatchObject({ status: 200 });
  };
  const develop = (method: Method) => async (versionId: string) => {
    const { org_id, app_id } = await db
      .selectFrom('app_version')
      .innerJoin('app', 'app.id', 'app_version.app_id')
      .select(['app.org_id', 'app_version.app_id'])
      .where('app_version.id', '=', versionId)
      .executeTakeFirstOrThrow();
    const path = `/api/orgs/${org_id}/apps/${app_id}/versions/${versionId}/withdraw`;
    expect(await call(method, path)).toMatchObject({ status: 200 });
  };
  return {
    approve: review('post', (id) => `/api/review/versions/${id}/approve`),
    suspend: review('post', (id) => `/api/review/apps/${id}/suspend`),
    unsuspend: review('delete', (id) => `/api/review/apps/${id}/suspend`),
    withdraw: develop('post'),
    restore: develop('delete'),
    /** Waits until every install knows of all changes so far. */
    sweptAll: () =>
      eventually(async () => !(await db.selectFrom('install_sweep').select('id').executeTakeFirst())),
  };
}

export const listenerInto = (heard: Heard[]) =>
  defineService({
    name: 'listener',
    config: noSettings,
    aggregates: [],
    subscriptions: () => [
      {
        queue: 'listener.all',
        events: [InstallChanged, AppDataChanged],
        batch: 100,
        handle: async (events) =>
          void heard.push(
            ...events.map(({ name, storeId, data }) => ({ name, storeId, data: JSON.parse(data) })),
          ),
      },
    ],
  });

/** An action that runs before catalog answers which products exist. */
export const whileAsked: { products: (() => Promise<unknown>) | null } = { products: null };

/** Creates a stand-in for catalog that answers which products exist. */
const catalogWith = (products: ReadonlySet<string>) =>
  createStubService('catalog', {
    async 'POST /internal/products/lookup'({ body }: { body: { ids: string[] } }) {
      await whileAsked.products?.();
      return { products: body.ids.filter((id) => products.has(id)).map((id) => ({ id })) };
    },
  });

/** Creates a stand-in for content that answers where blocks are used. */
const contentWith = (uses: BlockUse[]) =>
  createStubService('content', { 'POST /internal/block-uses': () => ({ uses }) });
