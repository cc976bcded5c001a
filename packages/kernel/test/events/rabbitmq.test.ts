import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type EventMessage } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import { type Bus, createLog, createRabbitmqBus, metrics, StartError } from '../../src/index.ts';
import { type CutProxy, startCutProxy } from '../drivers-proxy.ts';
import { amqpUrl, describeWith } from '../drivers-servers.ts';
import { busSuite } from './bus-suite.ts';
import { createNamespace, type TestNamespace } from './rabbitmq-namespace.ts';

const describeWithRabbitmq = await describeWith('RabbitMQ', amqpUrl);

/** Class and method of AMQP's `channel.close`. */
const channelClose = Buffer.from([0, 20, 0, 40]);
/** Class and method of AMQP's `basic.ack`. */
const basicAck = Buffer.from([0, 60, 0, 80]);

let createdCount = 0;
const createEvent = (name: string, data = '{}'): EventMessage => ({
  id: `evt_${++createdCount}`,
  name,
  storeId: 'str_1',
  createdAt: '2026-11-20T10:00:00.000Z',
  data,
});

describeWithRabbitmq('RabbitMQ', () => {
  const namespaces: TestNamespace[] = [];
  const buses: Bus[] = [];
  const newNamespace = async () => {
    const namespace = await createNamespace();
    namespaces.push(namespace);
    return namespace;
  };
  const open = (bus: Bus) => {
    buses.push(bus);
    return bus;
  };
  const end = async (bus: Bus) => {
    buses.splice(buses.indexOf(bus), 1);
    await bus.stop();
    await bus.close();
  };
  afterEach(async () => {
    for (const bus of [...buses]) await end(bus);
    for (const namespace of namespaces.splice(0)) await namespace.remove();
  });

  busSuite('the RabbitMQ bus', async () => (await newNamespace()).bus());

  test('an event waits in its queue for an absent subscriber', async () => {
    const { bus: createBus } = await newNamespace();
    const subscription = { queue: 'suite.away', names: ['a'], batch: 10 };
    const first = open(createBus());
    await first.subscribe({ ...subscription, handle: async () => {} });
    await end(first);
    const event = createEvent('a');
    const publisher = open(createBus());
    await eventually(async () => (await publisher.publish([event]))[0] === 'accepted');
    const heard: EventMessage[] = [];
    const second = open(createBus());
    await second.subscribe({ ...subscription, handle: async (events) => void heard.push(...events) });
    await eventually(() => heard.some(({ id }) => id === event.id));
  });

  test('two processes share the events of one subscription', async () => {
    const namespace = await newNamespace();
    const heard = { first: [] as string[], second: [] as string[] };
    for (const who of ['first', 'second'] as const) {
      await open(namespace.bus()).subscribe({
        queue: 'suite.half',
        names: ['h'],
        batch: 2,
        handle: async (events) => void heard[who].push(...events.map(({ id }) => id)),
      });
    }
    const events = Array.from({ length: 100 }, () => createEvent('h'));
    await buses[0]!.publish(events);
    await eventually(() => heard.first.length + heard.second.length >= events.length);
    expect([...heard.first, ...heard.second].sort()).toEqual(events.map(({ id }) => id).sort());
    expect(Math.min(heard.first.length, heard.second.length)).toBeGreaterThan(0);
  });

  test('events that follow each other within the interval of a subscription share a call', async () => {
    const bus = open((await newNamespace()).bus());
    const calls: { at: number; ids: string[] }[] = [];
    const intervalMs = 1_000;
    await bus.subscribe({
      queue: 'suite.calm',
      names: ['c'],
      batch: 10,
      intervalMs,
      handle: async (events) => void calls.push({ at: performance.now(), ids: events.map(({ id }) => id) }),
    });
    const [first, ...others] = Array.from({ length: 4 }, () => createEvent('c'));
    await bus.publish([first!]);
    await eventually(() => calls.length === 1);
    for (const event of others) await bus.publish([event]);
    await eventually(() => calls.length === 2);
    expect(calls[0]!.ids).toEqual([first!.id]);
    expect(calls[1]!.ids).toEqual(others.map(({ id }) => id));
    expect(calls[1]!.at - calls[0]!.at).toBeGreaterThan(intervalMs - 100);
  });

  test('an event that keeps failing while others succeed is moved to the dead queue unchanged, and counted', async () => {
    const namespace = await newNamespace();
    const bus = open(namespace.bus({ redelivery: { deliveryLimit: 3, firstHoldMs: 5, maxHoldMs: 20 } }));
    let attempts = 0;
    await bus.subscribe({
      queue: 'suite.sick',
      names: ['s'],
      batch: 10,
      async handle(events) {
        if (!events.some(({ data }) => data === 'bad')) return;
        if (events.length === 1) attempts++;
        throw new Error('a bad event');
      },
    });
    const bad = createEvent('s', 'bad');
    expect(await bus.publish([bad, createEvent('s')])).toEqual(['accepted', 'accepted']);
    await eventually(async () => {
      await bus.publish([createEvent('s')]);
      return (await namespace.depth('suite.sick.dead')) === 1;
    });
    expect(attempts).toBeGreaterThanOrEqual(4);
    const dead = await namespace.onBroker((channel) => channel.get(`${namespace.name}.suite.sick.dead`));
    expect(dead && JSON.parse(dead.content.toString())).toEqual(bad);
    expect(await metrics.metrics()).toContain('waybill_bus_dead_total{queue="suite.sick"} 1');
  });

  test('while every event fails, none is moved to the dead queue', async () => {
    const namespace = await newNamespace();
    const bus = open(namespace.bus({ redelivery: { deliveryLimit: 1, firstHoldMs: 2, maxHoldMs: 5 } }));
    let isAway = true;
    let failures = 0;
    const heard = new Set<string>();
    await bus.subscribe({
      queue: 'suite.unwell',
      names: ['u'],
      batch: 4,
      async handle(events) {
        if (isAway) {
          failures++;
          throw new Error('the database is away');
        }
        for (const { id } of events) heard.add(id);
      },
    });
    const events = Array.from({ length: 6 }, () => createEvent('u'));
    await bus.publish(events);
    await eventually(() => failures > 60);
    isAway = false;
    await eventually(() => heard.size === events.length);
    expect(await namespace.depth('suite.unwell.dead')).toBe(0);
  });

  test('a message that is not JSON goes to the dead queue', async () => {
    const namespace = await newNamespace();
    const bus = open(namespace.bus());
    const heard: string[] = [];
    await bus.subscribe({
      queue: 'suite.text',
      names: ['t'],
      batch: 10,
      handle: async (events) => void heard.push(...events.map(({ id }) => id)),
    });
    await namespace.onBroker(async (channel) =>
      channel.publish(`${namespace.name}.events`, 't', Buffer.from('{')),
    );
    const event = createEvent('t');
    await bus.publish([event]);
    await eventually(
      async () => (await namespace.depth('suite.text.dead')) === 1 && heard.includes(event.id),
    );
  });

  test('a stop requeues messages that no handler has begun, and another process gets them', async () => {
    const { bus: createBus } = await newNamespace();
    const [first, second] = [open(createBus()), open(createBus())];
    const release = Promise.withResolvers<void>();
    const done: string[] = [];
    const worker = (who: string, wait: Promise<void>) => ({
      queue: 'suite.shared',
      concurrency: 1,
      batch: 1,
      async handle([job]: number[]) {
        await wait;
        done.push(`${who} ${job}`);
      },
    });
    await first.work(worker('first', release.promise));
    await first.enqueue('suite.shared', [1, 2, 3, 4, 5]);
    await second.work(worker('second', Promise.resolve()));
    const stopped = first.stop();
    await eventually(() => done.length === 4);
    release.resolve();
    await stopped;
    expect(done.sort()).toEqual(['first 1', 'second 2', 'second 3', 'second 4', 'second 5']);
  });

  test('jobs share messages for workers that accept them, and are sent one by one to older workers', async () => {
    const namespace = await newNamespace();
    const [sender, bus] = [open(namespace.bus()), open(namespace.bus())];
    const done: string[] = [];
    const worker = (who: string, acceptsBatches: boolean) => ({
      queue: 'suite.versions',
      concurrency: 2,
      batch: 1,
      acceptsBatches,
      handle: async ([job]: number[]) => void done.push(`${who} ${job}`),
    });
    await bus.work(worker('old', false));
    await sender.enqueue('suite.versions', [1, 2], undefined, { inBatches: true });
    await eventually(() => done.length === 2);
    expect(done.sort()).toEqual(['old 1', 'old 2']);
    const later = open(namespace.bus());
    await later.work(worker('new', true));
    await eventually(async () => {
      done.length = 0;
      await sender.enqueue('suite.versions', [3, 4, 5], undefined, { inBatches: true });
      await eventually(() => done.length === 3);
      return done.every((each) => each.startsWith('new'));
    });
    expect(await sender.backlog('suite.versions')).toEqual({ waiting: 0, workers: 1 });
    await later.stop();
    await later.close();
    await eventually(async () => {
      done.length = 0;
      await sender.enqueue('suite.versions', [6, 7], undefined, { inBatches: true });
      await eventually(() => done.length === 2, { withinMs: 500 }).catch(() => {});
      return done.length === 2 && done.every((each) => each.startsWith('old'));
    });
  });

  test('a long job does not delay others, even if it shared a message', async () => {
    const namespace = await newNamespace();
    const bus = open(namespace.bus());
    const held = Promise.withResolvers<void>();
    let done = 0;
    await bus.work<number>({
      queue: 'suite.long',
      concurrency: 100,
      batch: 1,
      acceptsBatches: true,
      async handle([job]) {
        if (job === 0) await held.promise;
        else done++;
      },
    });
    // More messages than a consumer gets at once, each with one job that hangs.
    const jobs = Array.from({ length: 64 }, (_, i) => i);
    for (let i = 0; i < 60; i++) await bus.enqueue('suite.long', jobs, undefined, { inBatches: true });
    await eventually(() => done === 60 * 63);
    await eventually(async () => (await namespace.depth('suite.long.together')) === 0);
    held.resolve();
  });

  test('jobs that the batch queue refuses are sent one by one', async () => {
    const namespace = await newNamespace();
    const bus = open(namespace.bus({ bounds: { jobs: 20 } }));
    const release = Promise.withResolvers<void>();
    const done = new Set<number>();
    await bus.work<number>({
      queue: 'suite.refused',
      concurrency: 1,
      batch: 1,
      acceptsBatches: true,
      async handle([job]) {
        await release.promise;
        done.add(job!);
      },
    });
    let sent = 0;
    const send = () => bus.enqueue('suite.refused', [++sent], undefined, { inBatches: true });
    const isFull = async () => {
      await send();
      return ((await namespace.depth('suite.refused.together')) ?? 0) >= 20;
    };
    try {
      await eventually(isFull);
      for (let i = 0; i < 4; i++) await send();
    } finally {
      release.resolve();
    }
    await eventually(() => done.size === sent);
    expect(await namespace.depth('suite.refused')).toBe(0);
  });

  test('a lost connection repeats no job of a message that has been acknowledged', async () => {
    const namespace = await newNamespace();
    const proxy = await startCutProxy(amqpUrl);
    const release = Promise.withResolvers<void>();
    try {
      const [sender, bus] = [open(namespace.bus()), open(namespace.bus({ url: proxy.url }))];
      const begun: number[] = [];
      await bus.work<number>({
        queue: 'suite.lost',
        concurrency: 2,
        batch: 1,
        acceptsBatches: true,
        async handle([job]) {
          begun.push(job!);
          if (begun.length > 10) await release.promise;
        },
      });
      let isAcknowledged = false;
      void proxy.passed(basicAck).then(() => {
        isAcknowledged = true;
      });
      const jobs = Array.from({ length: 20 }, (_, i) => i);
      await sender.enqueue('suite.lost', jobs, undefined, { inBatches: true });
      await eventually(() => begun.length === 12);
      await eventually(() => isAcknowledged);
      await eventually(async () => (await namespace.depth('suite.lost.together')) === 0);
      proxy.cut();
      proxy.restore();
      release.resolve();
      await eventually(() => begun.length >= 20);
      await sender.enqueue('suite.lost', [20], undefined, { inBatches: true });
      await eventually(() => begun.includes(20));
      expect(begun).toEqual([...jobs, 20]);
    } finally {
      release.resolve();
      await proxy.close();
    }
  });

  test('a worker prefetches only as many messages as it can begin soon, however many jobs each contains', async () => {
    const namespace = await newNamespace();
    const [first, second] = [open(namespace.bus()), open(namespace.bus())];
    const release = Promise.withResolvers<void>();
    const done = { first: 0, second: 0 };
    const worker = (who: keyof typeof done, wait: Promise<void>) => ({
      queue: 'suite.prefetch',
      concurrency: 10,
      batch: 1,
      acceptsBatches: true,
      async handle() {
        await wait;
        done[who]++;
      },
    });
    await first.work(worker('first', release.promise));
    const jobs = Array.from({ length: 64 }, (_, i) => i);
    for (let i = 0; i < 40; i++) await first.enqueue('suite.prefetch', jobs, undefined, { inBatches: true });
    await second.work(worker('second', Promise.resolve()));
    await eventually(() => done.second >= 37 * 64).finally(release.resolve);
    await eventually(() => done.first + done.second === 40 * 64);
  });

  test('a stop requeues messages without a begun job, and finishes the jobs of the others', async () => {
    const namespace = await newNamespace();
    const [first, second] = [open(namespace.bus()), open(namespace.bus())];
    const release = Promise.withResolvers<void>();
    const done: string[] = [];
    const worker = (who: string, wait: Promise<void>) => ({
      queue: 'suite.given-back',
      concurrency: 1,
      batch: 1,
      acceptsBatches: true,
      async handle([job]: number[]) {
        await wait;
        done.push(`${who} ${job}`);
      },
    });
    await first.work(worker('first', release.promise));
    await first.enqueue('suite.given-back', [1, 2], undefined, { inBatches: true });
    for (const job of [3, 4]) await first.enqueue('suite.given-back', [job], undefined, { inBatches: true });
    await second.work(worker('second', Promise.resolve()));
    const stopped = first.stop();
    await eventually(() => done.length === 2);
    release.resolve();
    await stopped;
    expect(done.sort()).toEqual(['first 1', 'first 2', 'second 3', 'second 4']);
  });

  test('a failed job leaves the queue: its database hands it out again', async () => {
    const namespace = await newNamespace();
    const bus = open(namespace.bus());
    const seen: number[] = [];
    await bus.work<number>({
      queue: 'suite.failing',
      concurrency: 1,
      batch: 1,
      async handle([job]) {
        seen.push(job!);
        if (job === 1) throw new Error('a bad job');
      },
    });
    await bus.enqueue('suite.failing', [1, 2]);
    await eventually(() => seen.includes(2));
    await end(bus);
    expect(await namespace.depth('suite.failing')).toBe(0);
    expect(seen).toEqual([1, 2]);
  });

  describe('events that share messages', () => {
    const subscription = { queue: 'suite.shared', names: ['s'], batch: 100, acceptsBatches: true };
    const createEvents = (count: number) => Array.from({ length: count }, () => createEvent('s'));

    test('do so where all subscriptions of their name accept that, and arrive from either queue', async () => {
      const namespace = await newNamespace();
      const other = { queue: 'suite.alone', names: ['s'], batch: 100 };
      const depths = async () => [
        await namespace.depth('suite.shared.together'),
        await namespace.depth('suite.shared'),
      ];
      const shared = createEvents(5);
      const publisher = open(namespace.bus({ subscriptions: [subscription] }));
      await eventually(async () =>
        (await publisher.publish(shared)).every((result) => result === 'accepted'),
      );
      expect(await depths()).toEqual([1, 0]);
      const single = createEvents(5);
      const mixed = open(namespace.bus({ subscriptions: [subscription, other] }));
      await eventually(async () => (await mixed.publish(single)).every((result) => result === 'accepted'));
      expect(await depths()).toEqual([1, 5]);
      const heard: EventMessage[] = [];
      const handle = async (events: EventMessage[]) => void heard.push(...events);
      await open(namespace.bus()).subscribe({ ...subscription, handle });
      await eventually(() => heard.length === 10);
      const byId = (a: EventMessage, b: EventMessage) => a.id.localeCompare(b.id);
      expect(heard.sort(byId)).toEqual([...shared, ...single].sort(byId));
      await open(namespace.bus()).subscribe({ ...other, handle: async () => {} });
    });

    test('fail alone: only the event that keeps failing is retried, and moved to the dead queue', async () => {
      const namespace = await newNamespace();
      const redelivery = { deliveryLimit: 3, firstHoldMs: 5, maxHoldMs: 20 };
      const bus = open(namespace.bus({ redelivery, subscriptions: [subscription] }));
      const heard = new Map<string, number>();
      await bus.subscribe({
        ...subscription,
        async handle(events) {
          if (events.some(({ data }) => data === '"bad"')) throw new Error('expected');
          for (const { id } of events) heard.set(id, (heard.get(id) ?? 0) + 1);
        },
      });
      const bad = createEvent('s', '"bad"');
      const events = [...createEvents(10), bad, ...createEvents(10)];
      await bus.publish(events);
      await eventually(async () => {
        // The others go on, so that the event itself is at fault.
        await bus.publish([createEvent('s')]);
        return (await namespace.depth('suite.shared.dead')) === 1;
      });
      const dead = await namespace.onBroker((channel) =>
        channel.get(`${namespace.name}.suite.shared.dead`, { noAck: true }),
      );
      expect(dead && JSON.parse(dead.content.toString())).toEqual(bad);
      expect(events.filter(({ id }) => heard.get(id) === 1)).toHaveLength(20);
      await eventually(async () => (await namespace.depth('suite.shared.together')) === 0);
    });

    test('go to another process as a whole when a stop returns them', async () => {
      const namespace = await newNamespace();
      const first = open(namespace.bus({ subscriptions: [subscription] }));
      const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const handled: string[] = [];
      await first.subscribe({
        ...subscription,
        batch: 2,
        async handle(events) {
          begun.resolve();
          await release.promise;
          handled.push(...events.map(({ id }) => id));
        },
      });
      const events = createEvents(9);
      await first.publish(events);
      await begun.promise;
      const stopped = end(first);
      release.resolve();
      await stopped;
      expect(handled).toEqual(events.slice(0, 2).map(({ id }) => id));
      const heard: string[] = [];
      await open(namespace.bus()).subscribe({
        ...subscription,
        handle: async (part) => void heard.push(...part.map(({ id }) => id)),
      });
      await eventually(() => heard.length === 9);
      expect(heard.sort()).toEqual(events.map(({ id }) => id).sort());
    });

    test('keep their order among events of other names', async () => {
      const namespace = await newNamespace();
      const both = { ...subscription, names: ['s', 'u'] };
      const bus = open(namespace.bus({ subscriptions: [both] }));
      const names = ['u', 's', 'u', 'u', 's', 's'];
      const events = names.map((name) => createEvent(name));
      await eventually(async () => (await bus.publish(events)).every((result) => result === 'accepted'));
      const heard: string[] = [];
      await bus.subscribe({ ...both, handle: async (part) => void heard.push(...part.map(({ id }) => id)) });
      await eventually(() => heard.length >= events.length);
      expect(heard).toEqual(events.map(({ id }) => id));
    });

    test('that are no list go to the dead queue', async () => {
      const namespace = await newNamespace();
      const bus = open(namespace.bus({ subscriptions: [subscription] }));
      const heard: string[] = [];
      const handle = async (events: EventMessage[]) => void heard.push(...events.map(({ id }) => id));
      await bus.subscribe({ ...subscription, handle });
      await namespace.onBroker(async (channel) => {
        for (const body of ['{}', '[]', '['])
          channel.publish(`${namespace.name}.event-batches`, 's', Buffer.from(body));
      });
      const event = createEvent('s');
      await bus.publish([event]);
      await eventually(
        async () => (await namespace.depth('suite.shared.dead')) === 3 && heard.includes(event.id),
      );
    });
  });

  test('a job expires after its time to live', async () => {
    const namespace = await newNamespace();
    const bus = open(namespace.bus());
    const seen: number[] = [];
    await bus.enqueue('suite.expiring', [1, 2], 200);
    await bus.enqueue('suite.expiring', [3]);
    await sleep(500);
    const handle = async (jobs: number[]) => void seen.push(...jobs);
    await bus.work<number>({ queue: 'suite.expiring', concurrency: 1, batch: 10, handle });
    await eventually(() => seen.includes(3));
    await end(bus);
    expect(seen).toEqual([3]);
    expect(await namespace.depth('suite.expiring')).toBe(0);
  });

  test('a full queue of jobs refuses more', async () => {
    const namespace = await newNamespace();
    const bus = open(namespace.bus({ bounds: { jobs: 10 } }));
    await expect(bus.enqueue('suite.full', Array(500).fill('job'))).rejects.toThrow(
      /did not take \d+ of 500/,
    );
    await eventually(async () => ((await namespace.depth('suite.full')) ?? 0) >= 10);
    expect(await namespace.depth('suite.full')).toBeLessThan(500);
  });

  test('a queue of events that is full by bytes leaves the rest in the outbox until it is consumed', async () => {
    const namespace = await newNamespace();
    const subscription = { queue: 'suite.full-events', names: ['f'] };
    const bus = open(namespace.bus({ bounds: { eventBytes: 100_000 }, subscriptions: [subscription] }));
    const event = () => createEvent('f', 'x'.repeat(20_000));
    expect(await bus.publish([event()])).toEqual(['accepted']);
    // The queue tells its publishers a moment later.
    await eventually(async () => (await bus.publish(Array.from({ length: 10 }, event))).includes('refused'));
    await bus.subscribe({ ...subscription, batch: 10, handle: async () => {} });
    await eventually(async () => (await bus.publish([event()]))[0] === 'accepted');
  });

  test('a subscriber holds a bounded number of bytes, even when large events follow small ones', async () => {
    const namespace = await newNamespace();
    const bus = open(namespace.bus());
    const [small, large] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const heard = new Set<string>();
    let largeBegun = false;
    await bus.subscribe({
      queue: 'suite.held',
      names: ['h'],
      batch: 100,
      async handle(events) {
        for (const { id } of events) heard.add(id);
        if (heard.size < 400) return;
        await small.promise;
        if (!events.some(({ data }) => data.length > 100)) return;
        largeBegun = true;
        await large.promise;
      },
    });
    const publish = async (count: number, data: string) => {
      const events = Array.from({ length: count }, () => createEvent('h', data));
      expect(new Set(await bus.publish(events))).toEqual(new Set(['accepted']));
    };
    // The consumer gets as many small events as it can hold, followed by large ones, of which 100 fit at once.
    await publish(600, '{}');
    await eventually(() => heard.size >= 400);
    await publish(80, 'x'.repeat(500_000));
    small.resolve();
    await eventually(() => largeBegun);
    await eventually(async () => (await namespace.depth('suite.held'))! >= 40);
    large.resolve();
    await eventually(() => heard.size === 680);
    expect(await namespace.depth('suite.held.dead')).toBe(0);
  });

  test('two versions with different settings share a queue and its messages', async () => {
    const namespace = await newNamespace();
    const names = ['u'];
    const heard = new Map<string, string[]>();
    const done: number[] = [];
    const lines: string[] = [];
    const log = createLog('info', { write: (line: string) => void lines.push(line) });
    const waiting = createEvent('u');
    const old = open(namespace.bus({ subscriptions: [{ queue: 'suite.upgraded', names }] }));
    await eventually(async () => (await old.publish([waiting]))[0] === 'accepted');
    await old.enqueue('suite.upgraded-jobs', [0]);
    const bounds = { eventBytes: 10_000_000, jobBytes: 10_000_000, jobs: 1000 };
    const version = {
      old,
      new: open(namespace.bus({ bounds, log, subscriptions: [{ queue: 'suite.upgraded', names }] })),
    };
    for (const who of ['new', 'old'] as const) {
      await version[who].subscribe({
        queue: 'suite.upgraded',
        names,
        batch: 1,
        handle: async ([event]) => void heard.set(event!.id, [...(heard.get(event!.id) ?? []), who]),
      });
      await version[who].work<number>({
        queue: 'suite.upgraded-jobs',
        concurrency: 1,
        batch: 1,
        handle: async ([job]) => void done.push(job!),
      });
      if (who === 'new') await eventually(() => heard.has(waiting.id) && done.includes(0));
    }
    const events = Array.from({ length: 60 }, () => createEvent('u'));
    expect(new Set(await version.new.publish(events.slice(0, 30)))).toEqual(new Set(['accepted']));
    expect(new Set(await version.old.publish(events.slice(30)))).toEqual(new Set(['accepted']));
    await version.new.enqueue('suite.upgraded-jobs', [1]);
    await version.old.enqueue('suite.upgraded-jobs', [2]);
    await eventually(() => heard.size === 61 && done.length === 3);
    expect(new Set([...heard.values()].flat())).toEqual(new Set(['old', 'new']));
    expect([...heard.values()].every((by) => by.length === 1)).toBe(true);
    expect(lines.filter((line) => line.includes('other settings'))).toHaveLength(1);
  });

  test('an invalid URL is refused without showing its password', () => {
    const create = (url: string) => () =>
      createRabbitmqBus({ url, namespace: 'x', log: createLog('silent') });
    for (const url of [
      'hunter2',
      'http://me:hunter2@host',
      'amqp://me:hunter2@',
      'amqp://me:hunter2@host,amqp://me:hunter2@',
      'amqp://me:hunter2@host,http://me:hunter2@host',
    ])
      expect(create(url)).toThrow(
        new StartError(
          'AMQP_URL: must be like amqp://user:password@host:5672, for several nodes such URLs separated by commas',
        ),
      );
  });

  test('a publisher keeps an event until its subscriber has declared its queue again', async () => {
    const namespace = await newNamespace();
    const bus = open(namespace.bus());
    const heard: string[] = [];
    await bus.subscribe({
      queue: 'suite.wiped',
      names: ['w'],
      batch: 10,
      handle: async (events) => void heard.push(...events.map(({ id }) => id)),
    });
    const publisher = open(namespace.bus());
    await eventually(async () => (await publisher.publish([createEvent('w')]))[0] === 'accepted');
    await end(bus);
    await namespace.onBroker((channel) => channel.deleteQueue(`${namespace.name}.suite.wiped`));
    expect(await publisher.publish([createEvent('w')])).toEqual(['unroutable']);
  });

  test('a publisher declares the queues of other services, so that their first event waits for them', async () => {
    const namespace = await newNamespace();
    const subscription = { queue: 'suite.later', names: ['l'] };
    const publisher = open(namespace.bus({ subscriptions: [subscription] }));
    const event = createEvent('l');
    await eventually(async () => (await publisher.publish([event]))[0] === 'accepted');
    const heard: string[] = [];
    const subscriber = open(namespace.bus());
    await subscriber.subscribe({
      ...subscription,
      batch: 10,
      handle: async (events) => void heard.push(...events.map(({ id }) => id)),
    });
    await eventually(() => heard.includes(event.id));
  });

  test('a missing mark on the broker is reported until it is handled, and then no more', async () => {
    const namespace = await newNamespace();
    const first = open(namespace.bus({ mark: 'test' }));
    await first.enqueue('suite.marked', ['the connection was there before the outbox']);
    let reports = 0;
    first.onWiped(async () => {
      if (++reports < 3) throw new Error('the database is away');
    });
    await eventually(async () => (await namespace.depth('mark.test')) !== null);
    expect(reports).toBe(3);
    await end(first);
    const second = open(namespace.bus({ mark: 'test' }));
    second.onWiped(async () => void reports++);
    await eventually(async () => (await second.publish([createEvent('m')]))[0] === 'accepted');
    expect(reports).toBe(3);
  });

  test('a deleted queue is declared again and consumed again', async () => {
    const namespace = await newNamespace();
    const bus = open(namespace.bus());
    const [heard, done] = [new Set<string>(), new Set<number>()];
    await bus.subscribe({
      queue: 'suite.gone',
      names: ['g'],
      batch: 10,
      handle: async (events) => events.forEach(({ id }) => void heard.add(id)),
    });
    await bus.work<number>({
      queue: 'suite.gone-jobs',
      concurrency: 1,
      batch: 10,
      handle: async (jobs) => jobs.forEach((job) => void done.add(job)),
    });
    await bus.enqueue('suite.gone-jobs', [1]);
    await eventually(() => done.has(1));
    await namespace.onBroker(async (channel) => {
      for (const queue of ['suite.gone', 'suite.gone.dead', 'suite.gone-jobs'])
        await channel.deleteQueue(`${namespace.name}.${queue}`);
    });
    await eventually(async () => {
      const event = createEvent('g');
      await bus.publish([event]);
      await bus.enqueue('suite.gone-jobs', [2]).catch(() => {});
      return heard.has(event.id) && done.has(2);
    });
  });

  describe('behind a network that breaks', () => {
    let proxy: CutProxy;
    beforeEach(async () => {
      proxy = await startCutProxy(amqpUrl);
    });
    afterEach(() => proxy.close());

    test('accepted events arrive, the others are reported, and everything recovers', async () => {
      const namespace = await newNamespace();
      const bus = open(namespace.bus({ url: proxy.url, confirmMs: 2000 }));
      const heard = new Set<string>();
      await bus.subscribe({
        queue: 'suite.cut',
        names: ['c'],
        batch: 50,
        handle: async (events) => events.forEach(({ id }) => void heard.add(id)),
      });
      const accepted: string[] = [];
      let unreachable = 0;
      let isOver = false;
      const publishing = (async () => {
        while (!isOver) {
          const events = Array.from({ length: 20 }, () => createEvent('c'));
          const results = await bus.publish(events);
          results.forEach((result, i) => {
            if (result === 'accepted') accepted.push(events[i]!.id);
            else unreachable++;
          });
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      for (let round = 0; round < 3; round++) {
        const before = accepted.length;
        await eventually(() => accepted.length > before + 200);
        const unreachableBefore = unreachable;
        proxy.cut();
        await eventually(() => unreachable > unreachableBefore);
        proxy.restore();
      }
      const before = accepted.length;
      await eventually(() => accepted.length > before + 200);
      isOver = true;
      await publishing;
      await eventually(() => accepted.every((id) => heard.has(id))).catch((error) => {
        const missing = accepted.filter((id) => !heard.has(id));
        const [first, last] = [missing.at(0), missing.at(-1)].map((id) => accepted.indexOf(id!));
        const what = `${missing.length} of ${accepted.length} were not heard, between ${first} and ${last}`;
        throw new Error(what, { cause: error });
      });
    });

    test('a connection that is cut while a channel closes is opened again, at the start and later', async () => {
      const namespace = await newNamespace();
      const bus = open(namespace.bus({ url: proxy.url }));
      const heard = new Set<string>();
      const isHeard = async () => {
        const event = createEvent('q');
        await bus.publish([event]);
        return eventually(() => heard.has(event.id), { withinMs: 5_000 });
      };
      await eventually(async () => (await bus.publish([createEvent('x')]))[0] !== 'unreachable');
      proxy.cutAt(channelClose);
      await bus.subscribe({
        queue: 'suite.closing',
        names: ['q'],
        batch: 10,
        handle: async (events) => events.forEach(({ id }) => void heard.add(id)),
      });
      await eventually(isHeard);
      for (let round = 0; round < 3; round++) {
        proxy.cut();
        proxy.restore();
        proxy.cutAt(channelClose);
        await eventually(isHeard);
      }
    });

    test('when a node is lost, another one takes over immediately', async () => {
      const namespace = await newNamespace();
      const second = await startCutProxy(amqpUrl);
      try {
        const bus = open(namespace.bus({ url: `${proxy.url},${second.url}` }));
        const heard = new Set<string>();
        await bus.subscribe({
          queue: 'suite.nodes',
          names: ['n'],
          batch: 10,
          handle: async (events) => events.forEach(({ id }) => void heard.add(id)),
        });
        // Twice, because the link may have begun with either node.
        for (const node of [proxy, second, proxy, second]) {
          node.cut();
          const event = createEvent('n');
          await eventually(async () => (await bus.publish([event]))[0] === 'accepted');
          await eventually(() => heard.has(event.id));
          node.restore();
        }
      } finally {
        await second.close();
      }
    });

    test('a hanging broker costs a publisher its deadline and no more', async () => {
      const namespace = await newNamespace();
      const confirmMs = 300;
      const bus = open(namespace.bus({ url: proxy.url, confirmMs }));
      await eventually(async () => (await bus.publish([createEvent('f')]))[0] === 'accepted');
      proxy.freeze();
      const startedAt = performance.now();
      const events = Array.from({ length: 300 }, () => createEvent('f', 'x'.repeat(10_000)));
      const results = await bus.publish(events);
      expect(results).toEqual(events.map(() => 'unreachable'));
      expect(performance.now() - startedAt).toBeLessThan((events.length / 10) * confirmMs);
      await expect(bus.enqueue('suite.frozen', [1])).rejects.toThrow();
      proxy.restore();
      await eventually(async () => (await bus.publish([createEvent('f')]))[0] === 'accepted');
    });

    test('a bus that is created without a broker starts its consumers when the broker is up', async () => {
      const namespace = await newNamespace();
      proxy.cut();
      const bus = open(namespace.bus({ url: proxy.url, confirmMs: 500 }));
      expect(await bus.publish([createEvent('n')])).toEqual(['unreachable']);
      await expect(bus.enqueue('suite.new-jobs', [1])).rejects.toThrow();
      const done: number[] = [];
      await bus.work<number>({
        queue: 'suite.new-jobs',
        concurrency: 1,
        batch: 1,
        handle: async (jobs) => void done.push(...jobs),
      });
      proxy.restore();
      await eventually(async () => {
        await bus.enqueue('suite.new-jobs', [2]).catch(() => {});
        return done.includes(2);
      });
    });

    test('events that fail after their connection has broken come again once', async () => {
      const namespace = await newNamespace();
      const subscription = { queue: 'suite.lost', names: ['l'], batch: 100, acceptsBatches: true };
      const redelivery = { firstHoldMs: 5, maxHoldMs: 20 };
      const bus = open(namespace.bus({ url: proxy.url, redelivery }));
      const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const heard: string[] = [];
      let isFirst = true;
      await bus.subscribe({
        ...subscription,
        async handle(events) {
          if (isFirst) {
            isFirst = false;
            begun.resolve();
            await release.promise;
            throw new ApiError('unavailable', 503, 'expected');
          }
          heard.push(...events.map(({ id }) => id));
        },
      });
      const events = Array.from({ length: 5 }, () => createEvent('l'));
      const publisher = open(namespace.bus({ subscriptions: [subscription] }));
      await eventually(async () => (await publisher.publish(events))[0] === 'accepted');
      await begun.promise;
      proxy.cut();
      proxy.restore();
      await eventually(async () => (await bus.publish([createEvent('x')]))[0] !== 'unreachable');
      release.resolve();
      await eventually(() => heard.length >= 5);
      // Time in which the failed events would have been sent again.
      await bus.publish([createEvent('l')]);
      await eventually(() => heard.length >= 6);
      expect(heard.slice(0, 5)).toEqual(events.map(({ id }) => id));
      expect(heard).toHaveLength(6);
    });

    test('a call in flight when the connection breaks is finished, and its jobs come again', async () => {
      const namespace = await newNamespace();
      const bus = open(namespace.bus({ url: proxy.url }));
      const release = Promise.withResolvers<void>();
      let [begun, ended] = [0, 0];
      await bus.work<number>({
        queue: 'suite.late',
        concurrency: 2,
        batch: 1,
        async handle() {
          begun++;
          if (begun === 1) await release.promise;
          ended++;
        },
      });
      await bus.enqueue('suite.late', [1]);
      await eventually(() => begun === 1);
      proxy.cut();
      proxy.restore();
      await eventually(() => ended === 1 && begun === 2);
      release.resolve();
      await eventually(() => ended === 2);
      await end(bus);
      expect(await namespace.depth('suite.late')).toBe(0);
    });
  });
});
