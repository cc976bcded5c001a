import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventData, errors, MailRequested, newId, type Permission } from '@waybill/contracts';
import { defineConfig, defineService, type Env } from '@waybill/kernel';
import { type Vocabulary, vocabulary } from '@waybill/page';
import { createStubService, keptConnections, openTestDatabase, startSystem } from '@waybill/testing';
import { sql } from 'kysely';
import request from 'supertest';
import Type from 'typebox';
import type { Block } from '../src/contributions/manifest.ts';
import { appPlatform } from '../src/index.ts';
import type { Tables } from '../src/tables.ts';
import { type Heard, listenerInto } from './marketplace.ts';

export const baseUrl = 'https://waybill.example';
const reviewer: Person = { id: newId('user'), email: 'reviewer@platform.example', isReviewer: true };
const noSettings = defineConfig(Type.Object({}));

export interface Person {
  id: string;
  email: string;
  isReviewer?: boolean;
  /** Whether identity reports a verified address; defaults to true. */
  isVerified?: boolean;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

interface WhileAsked {
  act: (() => Promise<unknown>) | null;
}

/** Starts the app platform for tests of developers and reviewers, with stand-ins for identity and content. */
export async function startStudio(env: Env = {}) {
  const persons: Person[] = [];
  const heard: Heard[] = [];
  /** The development stores and their organisations. */
  const developmentStores = new Map<string, string>();
  /** The answer of the content service; null when it does not answer. */
  const content: { vocabulary: Vocabulary | null; requests: number } = { vocabulary, requests: 0 };
  /** An action that runs before identity or content answers. */
  const whileAsked: WhileAsked = { act: null };
  const dataDir = await mkdtemp(join(tmpdir(), 'waybill-studio-'));
  const mails: EventData<typeof MailRequested>[] = [];
  const services = [
    appPlatform,
    listenerInto(heard),
    identityWith(persons, developmentStores, whileAsked),
    contentWith(content, whileAsked),
    mailboxInto(mails),
  ];
  const system = await startSystem(services, {
    PUBLIC_BASE_URL: `${baseUrl}/`,
    WAYBILL_DATA_DIR: dataDir,
    ...env,
  });

  const url = system.databaseUrl('app-platform');
  const db = await openTestDatabase<Tables>(url, 2);

  function newPerson(): Person {
    const id = newId('user');
    const person = { id, email: `${id}@example.com` };
    persons.push(person);
    return person;
  }

  const as =
    ({ id, isVerified: _, ...person }: Person) =>
    async (method: Method, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const principal = await system.as({ kind: 'user', userId: id, ...person });
      const call = request(system.internalUrl)
        [method](path)
        .agent(keptConnections)
        .set({ ...principal, ...headers });
      return body === undefined
        ? call
        : call
            .set('content-type', 'application/json')
            .send(typeof body === 'string' ? body : JSON.stringify(body));
    };

  /** Creates a developer with an organisation and an app. */
  async function newApp(owner = newPerson()) {
    const call = as(owner);
    const org = (await call('post', '/api/orgs', { name: 'Acme' })).body.org;
    const created = await call('post', `/api/orgs/${org.id}/apps`, {
      name: 'Reviews',
      redirectUris: ['https://app.example.com/installed'],
    });
    expect(created.status).toBe(201);
    const { app, clientSecret } = created.body;
    const path = `/api/orgs/${org.id}/apps/${app.id}`;
    return {
      owner,
      call,
      org,
      app,
      clientSecret,
      path,
      newVersion: (scopes?: Permission[], connectOrigins?: string[]) =>
        version(call, path, scopes, connectOrigins),
    };
  }

  /** Creates a draft and returns it with its operations. */
  async function version(
    call: ReturnType<typeof as>,
    app: string,
    scopes: Permission[] = [],
    connectOrigins?: string[],
  ) {
    const created = await call('post', `${app}/versions`, { scopes, connectOrigins });
    expect(created.status).toBe(201);
    const { id, number } = created.body.version;
    const path = `${app}/versions/${id}`;
    return {
      id: id as string,
      number: number,
      path,
      get: async () => (await call('get', path)).body.version,
      putBlocks: (body: unknown) => call('put', `${path}/blocks`, body),
      putIslands: (...names: unknown[]) =>
        call('put', `${path}/islands`, { islands: names.map((name) => ({ name })) }),
      upload: async (
        name: string | null,
        module: string | Buffer,
        headers: Record<string, string> = { 'content-type': 'text/javascript' },
        owner?: Person,
      ) =>
        request(system.internalUrl)
          .post(`${path}/islands/module${name === null ? '' : `?name=${name}`}`)
          .set(owner ? await system.as({ kind: 'user', userId: owner.id, email: owner.email }) : {})
          .set(headers)
          .send(module),
      submit: () => call('post', `${path}/submit`),
      recall: () => call('post', `${path}/recall`),
      delete: () => call('delete', path),
      withdraw: () => call('post', `${path}/withdraw`),
      restore: () => call('delete', `${path}/withdraw`),
    };
  }

  return {
    system,
    db,
    heard,
    content,
    developmentStores,
    whileAsked,
    /** The requested mails. */
    mails,
    newPerson,
    newApp,
    as,
    /** Adds a member without an invitation. */
    async addMember(orgId: string, { id, email }: Person, role: 'owner' | 'developer'): Promise<void> {
      await db.insertInto('org_member').values({ org_id: orgId, user_id: id, email, role }).execute();
    },
    reviewer,
    review: as(reviewer),
    dataDir,
    /** Returns the changes of an organisation's apps according to its audit. */
    async changesOf(orgId: string): Promise<string[][]> {
      const { rows } = await sql<{ changed: string[] }>`
        select changed from audit_entry where owner_id = ${orgId} and action = 'app.updated' order by id`.execute(
        db,
      );
      return rows.map(({ changed }) => changed);
    },
    async stop() {
      await db.destroy();
      await system.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}
export type Studio = Awaited<ReturnType<typeof startStudio>>;
export type StudioApp = Awaited<ReturnType<Studio['newApp']>>;
export type Draft = Awaited<ReturnType<StudioApp['newVersion']>>;

const mailboxInto = (mails: EventData<typeof MailRequested>[]) =>
  defineService({
    name: 'mailbox',
    config: noSettings,
    aggregates: [],
    subscriptions: () => [
      {
        queue: 'mailbox.all',
        events: [MailRequested],
        batch: 100,
        handle: async (events) => void mails.push(...events.map(({ data }) => JSON.parse(data))),
      },
    ],
  });

const identityWith = (
  persons: readonly Person[],
  developmentStores: ReadonlyMap<string, string>,
  whileAsked: WhileAsked,
) =>
  createStubService('identity', {
    'GET /internal/orgs/{orgId}/stores': ({ params: { orgId } }) => ({
      total: [...developmentStores.values()].filter((owner) => owner === orgId).length,
    }),
    async 'GET /internal/stores/{storeId}'({ params }: { params: { storeId: string } }) {
      await whileAsked.act?.();
      return { orgId: developmentStores.get(params.storeId) ?? null };
    },
    async 'POST /internal/users/lookup'({ body }: { body: { email: string } }) {
      await whileAsked.act?.();
      const person = persons.find(({ email }) => email === body.email.toLowerCase());
      if (!person) throw errors.not_found();
      const { id, email, isVerified = true } = person;
      return { user: { id, email, isVerified, name: 'Somebody' } };
    },
  });

const contentWith = (content: { vocabulary: Vocabulary | null; requests: number }, whileAsked: WhileAsked) =>
  createStubService('content', {
    async 'GET /internal/vocabulary'() {
      await whileAsked.act?.();
      content.requests++;
      if (!content.vocabulary) throw errors.internal_error();
      return { vocabulary: content.vocabulary };
    },
    'POST /internal/block-renderings'({ body }: { body: { block: Block } }) {
      if (!content.vocabulary) throw errors.internal_error();
      const [{ props }] = body.block.nodes as [Block['nodes'][number]];
      return { html: JSON.stringify(props ?? null), css: '' };
    },
  });

/** A small block that uses every feature once. */
export const stars = {
  key: 'stars',
  name: 'Stars',
  icon: 'no-such-icon',
  rootId: 'root',
  nodes: [
    {
      id: 'root',
      type: 'container',
      children: ['title', 'text'],
      props: { style: { base: { paddingTop: '8px' }, mobile: { paddingTop: null } } },
    },
    { id: 'title', type: 'heading', props: { specials: { text: 'Reviews', level: 3 } } },
    {
      id: 'text',
      type: 'text',
      island: 'stars',
      props: {
        specials: { text: 'No reviews yet' },
        bindings: [{ source: 'app.average', field: 'specials.text' }],
      },
    },
  ],
  slots: [{ name: 'title', nodeId: 'title' }],
  traits: [
    {
      key: 'title',
      label: 'Title',
      attributes: [
        { widget: 'text', slot: 'title', target: 'specials', writeKey: 'text' },
        { widget: 'spacing', slot: '$root', target: 'style', writeKey: 'paddingTop' },
        { widget: 'toggle', slot: 'title', target: 'config', writeKey: 'hidden' },
      ],
    },
  ],
};

/** The same block without an island. */
export const plainStars = {
  ...stars,
  nodes: stars.nodes.map(({ island: _island, ...node }) => node),
};
