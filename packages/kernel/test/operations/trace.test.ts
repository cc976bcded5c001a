import { type EventMessage, StoreChanged } from '@waybill/contracts';
import { eventually, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import Type from 'typebox';
import { aggregate, defineConfig, defineRoutes, defineService, emit } from '../../src/index.ts';
import {
  continueTrace,
  currentTrace,
  findCommonTrace,
  readTrace,
  withTrace,
} from '../../src/operations/trace.ts';

const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('a traceparent', () => {
  test.each([trace, `cc${trace.slice(2)}-what-is-to-come`])(
    '%s is continued under a span of our own',
    (header) => {
      const { traceparent, parent } = continueTrace(header);
      expect(parent).toBe(trace);
      expect(traceparent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
      expect(traceparent).not.toBe(trace);
    },
  );

  test.each([
    undefined,
    '',
    'x',
    trace.toUpperCase(),
    trace.slice(0, -1),
    `${trace}0`,
    `ff${trace.slice(2)}`,
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
  ])('%s begins a new one', (header) => {
    const { traceparent, parent } = continueTrace(header);
    expect(parent).toBeUndefined();
    expect(readTrace(traceparent)).toBe(traceparent);
    expect(readTrace(header)).toBeUndefined();
  });

  test('of a batch is the common one of its events, or none', () => {
    const other = continueTrace(undefined).traceparent;
    expect(findCommonTrace([trace, trace])).toBe(trace);
    expect(findCommonTrace([trace, other])).toBeUndefined();
    expect(findCommonTrace([trace, undefined])).toBeUndefined();
    expect(findCommonTrace([])).toBeUndefined();
  });

  test('is current during its work, and no longer', async () => {
    await withTrace(trace, async () => {
      await new Promise(setImmediate);
      expect(currentTrace()).toBe(trace);
      withTrace(undefined, () => expect(currentTrace()).toBeUndefined());
    });
    expect(currentTrace()).toBeUndefined();
  });
});

describe('a request with a traceparent', () => {
  const heard: { event: EventMessage; current: string | undefined }[] = [];
  const routes = defineRoutes({
    change: {
      method: 'POST',
      path: '/internal/traced',
      access: 'public',
      summary: 'Changes a store',
      answer: [200, Type.Object({ current: Type.Union([Type.String(), Type.Null()]) })],
    },
  });
  const traced = defineService<unknown, unknown>({
    name: 'traced',
    config: defineConfig(Type.Object({})),
    migrations: new URL('../db/fixture-migrations/', import.meta.url),
    aggregates: [
      aggregate(routes, ({ transaction }) => ({
        async change() {
          const store = { id: 'str_1', name: 'x', slug: 'x', currency: 'EUR', updatedAt: '' };
          await transaction((trx) => emit(trx, StoreChanged, 'str_1', { store }));
          return { current: currentTrace() ?? null };
        },
      })),
    ],
    subscriptions: () => [
      {
        queue: 'traced.listener',
        events: [StoreChanged],
        batch: 10,
        async handle(events) {
          for (const event of events) heard.push({ event, current: currentTrace() });
        },
      },
    ],
  });

  let system: TestSystem;
  beforeAll(async () => {
    system = await startSystem([traced]);
  });
  afterAll(() => system.stop());

  test('runs under it, and so do the handlers of its events', async () => {
    const res = await request(system.internalUrl).post('/internal/traced').set('traceparent', trace);
    expect(res.body).toEqual({ current: trace });
    await eventually(() => heard.length === 1);
    expect(heard[0]).toMatchObject({ event: { trace }, current: trace });
  });

  test('without one its events have none', async () => {
    await request(system.internalUrl).post('/internal/traced');
    await eventually(() => heard.length === 2);
    expect(heard[1]!.event).not.toHaveProperty('trace');
    expect(heard[1]!.current).toBeUndefined();
  });
});
