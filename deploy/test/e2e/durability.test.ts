import { approveVersion, listenToInstalls, registerApp, signIn, type Waybill } from '@waybill/example-app';
import { eventually, type Receiver, startReceiver } from '@waybill/testing';
import { Journal, readProducts } from '../../chaos/journal.ts';
import { expectStatus, newPerson, newStore } from '../../testing/accounts.ts';
import { type Caller, createCaller } from '../../testing/client.ts';
import { documentOf, heading, Site, sectionRef } from './site.ts';
import { type StartedSystem, topologies, unlimited } from './topologies.ts';

const clients = 8;

describe.each(topologies)('$name', ({ start }) => {
  let receiver: Receiver;
  let system: StartedSystem;
  let demo: Caller;
  const journal = new Journal();
  beforeAll(async () => {
    receiver = await startReceiver();
    system = await start({ WEBHOOK_TRUSTED_TARGETS: receiver.trusted, ...unlimited });
    demo = createCaller(system.baseUrl, system.demo.apiKey);
    const events = ['product.created', 'product.updated', 'product.deleted'];
    expectStatus(await demo('POST', '/api/v1/webhooks', { url: receiver.url, events }), 201);
  });
  afterAll(async () => {
    await system.stop();
    await receiver.close();
  });

  /** Lets the clients write, and runs `act` after a number of further writes were answered. */
  async function underLoad<Result>(writes: number, act: () => Promise<Result>): Promise<Result> {
    const goal = journal.answered + writes;
    const load = Array.from({ length: clients }, () => journal.write(demo));
    await eventually(() => journal.answered >= goal, {
      withinMs: 200_000,
      what: `${writes} answered writes`,
    });
    const result = await act();
    await Promise.all(load);
    return result;
  }

  /** Returns the calls of the endpoint that existed from the beginning. */
  const calls = () => receiver.calls.filter(({ path }) => path === '/');

  async function expectNothingLost(): Promise<void> {
    const stored = await readProducts(demo);
    expect(journal.lostWrites(stored)).toEqual([]);
    // 30 s: the lease of a call in flight when the system ended may have to expire first.
    await eventually(() => journal.lostEvents(calls(), stored).length === 0, {
      withinMs: 45_000,
    }).catch(() => undefined);
    expect(journal.lostEvents(calls(), stored)).toEqual([]);
  }

  describe('kill -9 in the middle of writes, of a replay, of a cascade and of an approval', () => {
    const events = ['product.created', 'product.updated', 'product.deleted'];
    const logged: string[] = [];
    let replayPath: string;
    let stores: string[];
    let approved: string;
    let site: Site;
    const slugs: string[] = [];
    const replayed = () =>
      receiver.calls
        .filter(({ path }) => path === '/replayed')
        .map(({ headers }) => String(headers['webhook-id']))
        .filter((id) => logged.includes(id));
    const lifecycle = () =>
      receiver.calls.filter(({ path }) => path === '/lifecycle').map(({ body }) => JSON.parse(body));

    /** Installs an app, which is called about its installations, in a dozen stores, and submits its next version. */
    async function installEverywhere(developer: Waybill, reviewer: Waybill): Promise<string> {
      const listener = { redirectUri: 'http://127.0.0.1:1/installed', register: () => {} };
      const app = await registerApp(system.baseUrl, developer, listener);
      const submit = async () => {
        const created = await developer.post<{ version: { id: string } }>(`${app.path}/versions`, {
          scopes: [],
        });
        await developer.post(`${app.path}/versions/${created.version.id}/submit`);
        return created.version.id;
      };
      await approveVersion(reviewer, await submit());
      await listenToInstalls(developer, app, {
        webhookUrl: `${receiver.url}/lifecycle`,
        useWebhookSecret() {},
      });
      const merchant = await newPerson(system.baseUrl);
      stores = await Promise.all(Array.from({ length: 12 }, () => newStore(merchant)));
      for (const storeId of stores) {
        const install = `/api/stores/${storeId}/apps/${app.appId}/install`;
        expectStatus(await merchant.call('POST', install, { scopes: [] }), 201);
      }
      return submit();
    }
    const pages = () => Promise.all(slugs.map(async (slug) => (await site.visit(`/${slug}`)).text));

    beforeAll(async () => {
      const isOver = () => journal.answered >= 100;
      await Promise.all(Array.from({ length: clients }, () => journal.write(demo, isOver)));
      for (let after = ''; ; after = `&after=${logged.at(-1)}`) {
        const { body } = await demo('GET', `/api/v1/events?limit=200${after}`);
        if (body.events.length === 0) break;
        logged.push(...body.events.map(({ id }: { id: string }) => id));
      }
      const hook = { url: `${receiver.url}/replayed`, events };
      const { webhook } = expectStatus(await demo('POST', '/api/v1/webhooks', hook), 201).body;

      site = await Site.open(system.baseUrl, 'Cascade');
      const section = await site.section(documentOf([heading('before')]));
      const held = documentOf([sectionRef(section)]);
      const first = await site.live('First', held);
      for (let i = 0; i < 25; i++) slugs.push((await site.live(`Page ${i}`, held)).slug);
      const changed = { name: 'Footer', document: documentOf([heading('after')]) };
      expectStatus(await site.edit('PUT', `/sections/${section}`, changed), 200);
      await site.save(first.id, held);

      const developer = await signIn(system.baseUrl, system.demo.developer);
      const reviewer = await signIn(system.baseUrl, system.demo.reviewer);
      approved = await installEverywhere(developer, reviewer);
      await underLoad(250, async () => {
        const since = new Date(Date.now() - 3_600_000).toISOString();
        const started = await demo('POST', `/api/v1/webhooks/${webhook.id}/replay`, { since });
        const { replay } = expectStatus(started, 202).body;
        replayPath = `/api/v1/webhooks/${webhook.id}/replays/${replay.id}`;
        await eventually(() => replayed().length > logged.length / 10, { what: 'calls of the replay' });
        expectStatus(await site.publish(first.id), 200);
        await approveVersion(reviewer, approved);
        await system.kill('SIGKILL');
      });
      await system.restart();
      // With their keys: each was either done before the kill and is now answered, or is done now.
      await journal.sendAgain(demo);
    });

    test('loses no answered write and no event, and delivers no refused one', expectNothingLost);

    test('lets the replay continue, and call for every event of the log', async () => {
      await eventually(async () => (await demo('GET', replayPath)).body.replay.state === 'done', {
        withinMs: 90_000,
        what: 'the end of the replay',
      });
      const called = new Set(replayed());
      expect(logged.filter((id) => !called.has(id))).toEqual([]);
    });

    test('has the app told of each of its installs, and of what the approval made of them', async () => {
      const listInstalls = (type: string) =>
        lifecycle()
          .filter((call) => call.type === type)
          .map(({ data }) => data.install);
      const storesOf = (installs: { storeId: string }[]) =>
        [...new Set(installs.map(({ storeId }) => storeId))].sort();
      await eventually(() => storesOf(listInstalls('app.updated')).length === stores.length, {
        withinMs: 90_000,
        what: 'calls about every install',
      });
      for (const type of ['app.installed', 'app.updated'])
        expect(storesOf(listInstalls(type))).toEqual(stores.toSorted());
      for (const { versionId } of listInstalls('app.updated')) expect(versionId).toBe(approved);
    });

    test('leaves no page half rendered and none forgotten', async () => {
      expect((await site.visit('/')).text).toContain('after');
      for (const text of await pages()) expect(text).toMatch(/(before|after)<\/h2>[\s\S]*<\/html>\n$/);
      // 30 s: the lease of work in flight may have to expire first.
      await eventually(async () => (await pages()).every((text) => text.includes('after</h2>')), {
        withinMs: 60_000,
        what: 'every page to show the section',
      });
    });
  });

  describe('SIGTERM during a load of writes', () => {
    test('stops the system properly within ten seconds, and loses nothing', async () => {
      const code = await underLoad(150, async () => {
        const signalled = Date.now();
        const exitCode = await system.kill('SIGTERM');
        expect(Date.now() - signalled).toBeLessThan(10_000);
        return exitCode;
      });
      expect(code).toBe(0);
      await system.restart();
      await expectNothingLost();
    });
  });
});
