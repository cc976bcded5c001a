import { type DeliveryJob, type DeliveryOutcome, newId } from '@waybill/contracts';
import { sql } from 'kysely';
import { fanOut } from '../src/events/fan-out.ts';
import { outcomesWorker } from '../src/outcomes/outcomes.ts';
import { settleDelivered } from '../src/outcomes/quick-settlement.ts';
import { newCopy, type OwnDatabase, openOwnDatabase } from './replica.ts';

describe('successful calls', () => {
  let own: OwnDatabase;
  beforeAll(async () => {
    own = await openOwnDatabase();
  });
  afterAll(() => own.drop());

  async function createJobs(count: number, column = 'status', value: string | number = 'active') {
    const [storeId, id] = [newId('store'), newId('webhookEndpoint')];
    await sql`
      insert into webhook_endpoint (store_id, id, url, sealed_secret, events, status)
      values (${storeId}, ${id}, 'https://example.com/', 'x', '{product.created}', 'active')`.execute(own.db);
    const copy = newCopy(own.db, { config: { eventLogDays: 30, retryDelays: [60] } as never });
    const createdAt = new Date().toISOString();
    await fanOut(
      copy.context,
      Array.from({ length: count }, () => ({
        storeId,
        id: newId('event'),
        type: 'product.created' as const,
        createdAt,
        data: '{"product":{"id":"prd_1"}}',
      })),
    );
    await sql`update webhook_endpoint set ${sql.ref(column)} = ${value} where id = ${id}`.execute(own.db);
    return { ...copy, storeId, id, jobs: copy.handed };
  }
  const createOutcome = (job: DeliveryJob, more: Partial<DeliveryOutcome> = {}): DeliveryOutcome => ({
    storeId: job.storeId,
    endpointId: job.endpointId,
    deliveryId: job.deliveryId,
    attempt: job.attempt,
    delivered: true,
    statusCode: 204,
    error: '',
    durationMs: 5,
    ...more,
  });
  const readRecords = async (storeId: string) => {
    const { rows } = await sql<{
      status: string;
      attempts: number;
      logged: number;
      due: boolean;
      counted: number;
    }>`
      select status, attempts, jsonb_array_length(attempt_log) as logged,
        exists (select from webhook_due u where u.store_id = d.store_id and u.delivery_id = d.id) as due,
        (select coalesce(sum(attempts), 0) from webhook_attempt_count c where c.store_id = d.store_id)::int as counted
      from webhook_delivery d where store_id = ${storeId} order by id`.execute(own.db);
    return rows;
  };

  test('are recorded in one statement, each attempt once however often it is reported', async () => {
    const { storeId, jobs } = await createJobs(3);
    const outcomes = jobs.map((job) => createOutcome(job));
    const settled = await settleDelivered(own.db, [...outcomes, outcomes[0]!]);
    expect(settled.map(({ id }) => id).sort()).toEqual(jobs.map(({ deliveryId }) => deliveryId).sort());
    expect(await settleDelivered(own.db, outcomes)).toEqual([]);
    const record = { status: 'delivered', attempts: 1, logged: 1, due: false, counted: 3 };
    expect(await readRecords(storeId)).toEqual([record, record, record]);
  });

  test('are recorded in order with failures, so that only three failures in a row count', async () => {
    const { id, jobs, context } = await createJobs(5);
    const failed = { delivered: false, statusCode: 500, error: 'answered 500' };
    const { handle } = outcomesWorker(context);
    await handle(jobs.map((job, i) => createOutcome(job, i % 2 === 0 ? failed : {})) as never[]);
    const { rows } = await sql<{ status: string; failures: number }>`
      select status, failures from webhook_endpoint where id = ${id}`.execute(own.db);
    expect(rows).toEqual([{ status: 'active', failures: 1 }]);
  });

  test('are recorded in order if their speed differs, because the last one decides the lane', async () => {
    const { jobs } = await createJobs(2);
    const [slow, quick] = [createOutcome(jobs[0]!, { durationMs: 60_000 }), createOutcome(jobs[1]!)];
    expect(await settleDelivered(own.db, [slow, quick])).toEqual([]);
  });

  test('are recorded one by one if they change more than their own rows', async () => {
    for (const [column, value] of [
      ['status', 'failing'],
      ['failures', 1],
      ['failing_since', '2026-11-20T10:00:00Z'],
      ['is_slow', 'true'],
      ['failure_alerts', '{"percent":50,"minutes":5}'],
    ] as const) {
      const { jobs, context, id, storeId } = await createJobs(1, column, value);
      expect(await settleDelivered(own.db, [createOutcome(jobs[0]!)])).toEqual([]);
      const { handle } = outcomesWorker(context);
      await handle([createOutcome(jobs[0]!)] as never[]);
      expect(await readRecords(storeId)).toEqual([
        { status: 'delivered', attempts: 1, logged: 1, due: false, counted: 1 },
      ]);
      const { rows } =
        await sql`select status, failures, failing_since as since, is_slow as slow from webhook_endpoint where id = ${id}`.execute(
          own.db,
        );
      expect(rows).toEqual([{ status: 'active', failures: 0, since: null, slow: false }]);
    }
  });

  test('are separated from failures in the same batch', async () => {
    const { storeId, jobs, context } = await createJobs(2);
    const { handle } = outcomesWorker(context);
    const failed = { delivered: false, statusCode: 500, error: 'answered 500' };
    await handle([createOutcome(jobs[0]!), createOutcome(jobs[1]!, failed)] as never[]);
    expect((await readRecords(storeId)).map(({ status, due }) => ({ status, due })).sort()).toEqual(
      [
        { status: 'delivered', due: false },
        { status: 'retrying', due: true },
      ].sort(),
    );
  });

  test('are found by their key, even if the waiting calls were analyzed when there were hardly any', async () => {
    await createJobs(1_000);
    await sql`delete from webhook_due where ctid <> (select max(ctid) from webhook_due)`.execute(own.db);
    await sql`vacuum (analyze) webhook_due`.execute(own.db);
    const { jobs } = await createJobs(1_000);
    const fetched = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(own.db);
      const { rows } = await sql<{ rows: number }>`
        select idx_tup_fetch::int as rows from pg_stat_user_tables where relname = 'webhook_due'`.execute(
        own.db,
      );
      return rows[0]!.rows;
    };
    const atFirst = await fetched();
    const settled = await settleDelivered(
      own.db,
      jobs.slice(0, 8).map((job) => createOutcome(job)),
    );
    expect(settled).toHaveLength(8);
    expect((await fetched()) - atFirst).toBeLessThan(100);
  });
});
