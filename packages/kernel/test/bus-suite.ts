import type { EventMessage } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import type { Bus } from '../src/index.ts';

let made = 0;
const eventOf = (name: string): EventMessage => ({
  id: `evt_${++made}`,
  name,
  storeId: 'str_1',
  createdAt: '2026-11-20T10:00:00.000Z',
  data: `{"n":${made}}`,
});

/** What every bus does; each driver passes it. */
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

    test('brings an event to every subscription that names it, whole', async () => {
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
      const [a, b] = [eventOf('a'), { ...eventOf('b'), trace }];
      expect(await bus.publish([a, b])).toEqual(['accepted', 'accepted']);
      await eventually(() => heard.first!.length === 2 && heard.second!.length === 1);
      expect(heard).toEqual({ first: expect.arrayContaining([a, b]), second: [b], other: [] });
    });

    test('an event that nobody wants is accepted', async () => {
      expect(await bus.publish([eventOf('unheard')])).toEqual(['accepted']);
    });

    test('one event that fails does not take its neighbours along', async () => {
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
      const events = [eventOf('p'), { ...eventOf('p'), data: 'bad' }, eventOf('p')];
      const results = await bus.publish(events);
      await eventually(() => heard.includes(events[0]!.id) && heard.includes(events[2]!.id));
      expect(heard).not.toContain(events[1]!.id);
      expect([results[0], results[2]]).toEqual(['accepted', 'accepted']);
    });

    test('a batch that fails is halved until the culprits stand alone', async () => {
      const culprits = new Set(['evt_culprit_1', 'evt_culprit_2']);
      const heard = new Set<string>();
      let failures = 0;
      await bus.subscribe({
        queue: 'suite.halves',
        names: ['h'],
        batch: 64,
        async handle(events) {
          if (events.some(({ id }) => culprits.has(id))) {
            failures++;
            throw new Error('a bad event');
          }
          for (const { id } of events) heard.add(id);
        },
      });
      const events = Array.from({ length: 62 }, () => eventOf('h'));
      for (const id of culprits) events.splice(20, 0, { ...eventOf('h'), id });
      const publishing = bus.publish(events);
      await eventually(() => heard.size === 62);
      // A call for each of 64 would be 65; a culprit costs a failure for every halving of what it stands in.
      expect(failures).toBeLessThanOrEqual(2 * 7);
      culprits.clear();
      await publishing;
    });

    test('one job that fails does not take its neighbours along', async () => {
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

    test('brings many events of any size and script, each at least once', async () => {
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
      const events = Array.from({ length: 1000 }, () => eventOf('m'));
      events[0]!.data = JSON.stringify({ text: 'ä✓𝄞\u0000\n"\\' });
      events[1]!.data = JSON.stringify('x'.repeat(1024 * 1024));
      expect(new Set(await bus.publish(events))).toEqual(new Set(['accepted']));
      await eventually(() => heard.size === events.length);
      expect(events.map(({ id }) => heard.get(id))).toEqual(events);
      expect(largest).toBeLessThanOrEqual(50);
    });

    test('an event that failed is not lost', async () => {
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
      const event = eventOf('r');
      // Whoever keeps it meanwhile: the bus, or the publisher that was told it is not done.
      await eventually(async () => {
        while (!heard.includes(event.id) && (await bus.publish([event]))[0] !== 'accepted');
        return heard.includes(event.id);
      });
    });

    test('a job goes to one worker, at most so many at once', async () => {
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

    test('jobs that wait come together, up to the batch', async () => {
      const sizes: number[] = [];
      await bus.enqueue(
        'suite.batches',
        Array.from({ length: 25 }, (_, i) => i),
      );
      await bus.work<number>({
        queue: 'suite.batches',
        concurrency: 1,
        batch: 10,
        handle: async (jobs) => void sizes.push(jobs.length),
      });
      await eventually(() => sizes.reduce((sum, size) => sum + size, 0) === 25);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
    });

    test('a stop waits for what is in hand and hands out nothing new', async () => {
      const ended: number[] = [];
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await bus.work<number>({
        queue: 'suite.stopping',
        concurrency: 1,
        batch: 1,
        async handle([job]) {
          await held;
          ended.push(job!);
        },
      });
      await bus.enqueue('suite.stopping', [1, 2]);
      await eventually(async () => true);
      const stopped = bus.stop();
      release();
      await stopped;
      expect(ended.length).toBeLessThanOrEqual(1);
    });
  });
}
