import { setTimeout as sleep } from 'node:timers/promises';
import type { EventMessage } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import type { Bus } from '../../src/index.ts';

let createdCount = 0;
const createEvent = (name: string): EventMessage => ({
  id: `evt_${++createdCount}`,
  name,
  storeId: 'str_1',
  createdAt: '2026-11-20T10:00:00.000Z',
  data: `{"n":${createdCount}}`,
});

/** The tests that every bus must pass; each driver runs them. */
export function busSuite(title: string, createBus: () => Promise<Bus>): void {
  describe(`${title}, as every bus`, () => {
    let bus: Bus;
    beforeEach(async () => {
      bus = await createBus();
    });
    afterEach(async () => {
      await bus.stop();
      await bus.close();
    });

    test('delivers an event to every subscription for its name, unchanged', async () => {
      const heard: Record<string, EventMessage[]> = { first: [], second: [], other: [] };
      const subscribe = (queue: string, names: string[]) =>
        bus.subscribe({
          queue: `suite.${queue}`,
          names,
          batch: 10,
          handle: async (events) => void heard[queue]!.push(...events),
        });
      await subscribe('first', ['a', 'b']);
      await subscribe('second', ['b']);
      await subscribe('other', ['c']);
      const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
      const [a, b] = [createEvent('a'), { ...createEvent('b'), trace }];
      expect(await bus.publish([a, b])).toEqual(['accepted', 'accepted']);
      await eventually(() => heard.first!.length === 2 && heard.second!.length === 1);
      expect(heard).toEqual({ first: expect.arrayContaining([a, b]), second: [b], other: [] });
    });

    test('an event without a subscriber is accepted', async () => {
      expect(await bus.publish([createEvent('unheard')])).toEqual(['accepted']);
    });

    test('one failing event does not fail the others of its batch', async () => {
      const heard: string[] = [];
      await bus.subscribe({
        queue: 'suite.picky',
        names: ['p'],
        batch: 10,
        async handle(events) {
          if (events.some(({ data }) => data === 'bad')) throw new Error('a bad event');
          heard.push(...events.map(({ id }) => id));
        },
      });
      const events = [createEvent('p'), { ...createEvent('p'), data: 'bad' }, createEvent('p')];
      const results = await bus.publish(events);
      await eventually(() => heard.includes(events[0]!.id) && heard.includes(events[2]!.id));
      expect(heard).not.toContain(events[1]!.id);
      expect([results[0], results[2]]).toEqual(['accepted', 'accepted']);
    });

    test('a failing batch is bisected down to the failed items', async () => {
      const failedItems = new Set(['evt_culprit_1', 'evt_culprit_2']);
      const heard = new Set<string>();
      let failures = 0;
      await bus.subscribe({
        queue: 'suite.halves',
        names: ['h'],
        batch: 64,
        async handle(events) {
          if (events.some(({ id }) => failedItems.has(id))) {
            failures++;
            throw new Error('a bad event');
          }
          for (const { id } of events) heard.add(id);
        },
      });
      const events = Array.from({ length: 62 }, () => createEvent('h'));
      for (const id of failedItems) events.splice(20, 0, { ...createEvent('h'), id });
      const publishing = bus.publish(events);
      await eventually(() => heard.size === 62);
      // A call for each of the 64 would be 65; one faulty event costs a failure for each halving of its batch.
      expect(failures).toBeLessThanOrEqual(2 * 7);
      failedItems.clear();
      await publishing;
    });

    test('one failing job does not fail the others of its batch', async () => {
      const done = new Set<number>();
      await bus.work<{ n: number }>({
        queue: 'suite.jobs',
        concurrency: 1,
        batch: 10,
        async handle(jobs) {
          if (jobs.some(({ n }) => n === 3)) throw new Error('a bad job');
          for (const { n } of jobs) done.add(n);
        },
      });
      await bus.enqueue(
        'suite.jobs',
        Array.from({ length: 10 }, (_, n) => ({ n })),
      );
      await eventually(() => done.size === 9);
      expect(done).not.toContain(3);
    });

    test('delivers many events of any size and script, each at least once', async () => {
      const heard = new Map<string, EventMessage>();
      let largest = 0;
      await bus.subscribe({
        queue: 'suite.many',
        names: ['m'],
        batch: 50,
        async handle(events) {
          largest = Math.max(largest, events.length);
          for (const event of events) heard.set(event.id, event);
        },
      });
      const events = Array.from({ length: 1000 }, () => createEvent('m'));
      events[0]!.data = JSON.stringify({ text: 'ä✓𝄞\u0000\n"\\' });
      events[1]!.data = JSON.stringify('x'.repeat(1024 * 1024));
      expect(new Set(await bus.publish(events))).toEqual(new Set(['accepted']));
      await eventually(() => heard.size === events.length);
      expect(events.map(({ id }) => heard.get(id))).toEqual(events);
      expect(largest).toBeLessThanOrEqual(50);
    });

    test('a failed event is not lost', async () => {
      let attempts = 0;
      const heard: string[] = [];
      await bus.subscribe({
        queue: 'suite.again',
        names: ['r'],
        batch: 10,
        async handle(events) {
          if (++attempts <= 3) throw new Error('not yet');
          heard.push(...events.map(({ id }) => id));
        },
      });
      const event = createEvent('r');
      // Meanwhile either the bus keeps the event, or the publisher does, if the bus has not accepted it.
      await eventually(async () => {
        while (!heard.includes(event.id) && (await bus.publish([event]))[0] !== 'accepted');
        return heard.includes(event.id);
      });
    });

    test('a job goes to one worker, within its concurrency', async () => {
      const done: number[] = [];
      let [running, most] = [0, 0];
      await bus.work<number>({
        queue: 'suite.jobs',
        concurrency: 3,
        batch: 1,
        async handle(jobs) {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setImmediate(resolve));
          done.push(...jobs);
          running--;
        },
      });
      await bus.enqueue(
        'suite.jobs',
        Array.from({ length: 50 }, (_, i) => i),
      );
      await eventually(() => done.length === 50);
      expect([...done].sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i));
      expect(most).toBeLessThanOrEqual(3);
    });

    test('jobs that share a message reach a worker like others, and none is lost', async () => {
      const done: number[] = [];
      let [running, most] = [0, 0];
      await bus.work<number>({
        queue: 'suite.together',
        concurrency: 3,
        batch: 1,
        acceptsBatches: true,
        async handle(jobs) {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setImmediate(resolve));
          running--;
          if (jobs.includes(7)) throw new Error('a bad job');
          done.push(...jobs);
        },
      });
      const jobs = Array.from({ length: 200 }, (_, i) => i);
      await bus.enqueue('suite.together', jobs, undefined, { inBatches: true });
      await eventually(() => done.length === 199);
      expect([...done].sort((a, b) => a - b)).toEqual(jobs.filter((job) => job !== 7));
      expect(most).toBeLessThanOrEqual(3);
    });

    test('reports the numbers of waiting jobs and workers', async () => {
      await bus.enqueue('suite.backlog', [1, 2, 3]);
      await eventually(async () => (await bus.backlog('suite.backlog')).waiting === 3);
      expect((await bus.backlog('suite.backlog')).workers).toBe(0);
      await bus.work({ queue: 'suite.backlog', concurrency: 1, batch: 1, async handle() {} });
      await eventually(async () => {
        const { waiting, workers } = await bus.backlog('suite.backlog');
        return waiting === 0 && workers === 1;
      });
    });

    test('waiting jobs are handled together, up to the batch size', async () => {
      const sizes: number[] = [];
      await bus.work<number>({
        queue: 'suite.batches',
        concurrency: 1,
        batch: 10,
        async handle(jobs) {
          // Others gather meanwhile.
          await sleep(5);
          sizes.push(jobs.length);
        },
      });
      await eventually(async () => {
        await bus.enqueue(
          'suite.batches',
          Array.from({ length: 25 }, (_, i) => i),
        );
        return sizes.includes(10);
      });
      expect(Math.max(...sizes)).toBe(10);
    });

    test('large events and jobs are handled a few at a time, and an oversized one alone', async () => {
      const most = 4 * 1024 * 1024;
      const handed: { count: number; bytes: number }[] = [];
      const note = async (parts: { data: string }[]) => {
        // Others gather meanwhile.
        await sleep(50);
        handed.push({ count: parts.length, bytes: parts.reduce((sum, { data }) => sum + data.length, 0) });
      };
      await bus.subscribe({
        queue: 'suite.large',
        names: ['large'],
        batch: 100,
        handle: note,
      });
      await bus.work<{ data: string }>({
        queue: 'suite.large-jobs',
        concurrency: 1,
        batch: 100,
        handle: note,
      });
      const large = { data: 'x'.repeat(700_000) };
      const larger = { data: 'x'.repeat(most + 1) };
      const events = [large, large, large, large, large, large, large, larger];
      await bus.publish(events.map((data) => ({ ...createEvent('large'), ...data })));
      await bus.enqueue('suite.large-jobs', events);
      await eventually(() => handed.reduce((sum, { count }) => sum + count, 0) === 16);
      expect(handed.filter(({ count, bytes }) => count > 1 && bytes > most)).toEqual([]);
    });

    test('a stop waits for the job in flight and hands out nothing new', async () => {
      const [begun, ended]: number[][] = [[], []];
      const held = Promise.withResolvers<void>();
      await bus.work<number>({
        queue: 'suite.stopping',
        concurrency: 1,
        batch: 1,
        async handle([job]) {
          begun!.push(job!);
          await held.promise;
          ended!.push(job!);
        },
      });
      await bus.enqueue('suite.stopping', [1, 2]);
      await eventually(() => begun!.length === 1);
      // Enough time for a stop that does not wait to finish.
      setTimeout(held.resolve, 200);
      await bus.stop();
      expect(ended).toEqual([1]);
      await sleep(50);
      expect(begun).toEqual([1]);
    });

    test('after a stop begins, only jobs that record outcomes are begun', async () => {
      const [begun, recorded]: number[][] = [[], []];
      const held = Promise.withResolvers<void>();
      await bus.work<number>({
        queue: 'suite.records',
        concurrency: 1,
        batch: 10,
        recordsOutcomes: true,
        handle: async (jobs) => void recorded!.push(...jobs),
      });
      await bus.work<number>({
        queue: 'suite.recorded',
        concurrency: 2,
        batch: 1,
        async handle([job]) {
          begun!.push(job!);
          await held.promise;
          await bus.enqueue('suite.records', [job]);
        },
      });
      await bus.enqueue('suite.recorded', [1, 2, 3]);
      await eventually(() => begun!.length === 2);
      bus.beginStop();
      await bus.enqueue('suite.recorded', [4]);
      held.resolve();
      await eventually(() => recorded!.length === 2);
      await bus.stop();
      expect([begun!.sort(), recorded!.sort()]).toEqual([
        [1, 2],
        [1, 2],
      ]);
    });

    test('a stop waits for the events in flight', async () => {
      const [begun, ended]: string[][] = [[], []];
      const held = Promise.withResolvers<void>();
      await bus.subscribe({
        queue: 'suite.stopping-events',
        names: ['stopping'],
        batch: 1,
        async handle([event]) {
          begun!.push(event!.id);
          await held.promise;
          ended!.push(event!.id);
        },
      });
      const event = createEvent('stopping');
      const publishing = bus.publish([event]);
      await eventually(() => begun!.length === 1);
      setTimeout(held.resolve, 200);
      await bus.stop();
      expect(ended).toEqual([event.id]);
      expect(await publishing).toEqual(['accepted']);
    });
  });
}
