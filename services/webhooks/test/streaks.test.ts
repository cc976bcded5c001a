import { newId } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import { sql } from 'kysely';
import { countStreaks, type Streak } from '../src/outcomes/queries.ts';
import { type OwnDatabase, openOwnDatabase } from './replica.ts';

describe('outcomes of one endpoint that two replicas record simultaneously', () => {
  let own: OwnDatabase;
  beforeAll(async () => {
    own = await openOwnDatabase(3);
  });
  afterAll(() => own.drop());

  const failed = (failures: number) => ({ succeeded: false, failures, lastMs: 5 });

  /** Counts the outcomes that two copies report; the second waits for the commit of the first. */
  async function count(before: number, first: Omit<Streak, 'storeId' | 'endpointId'>, second: typeof first) {
    const { db } = own;
    const key = { storeId: newId('store'), endpointId: newId('webhookEndpoint') };
    await sql`insert into webhook_endpoint (store_id, id, url, sealed_secret, events, status, failures)
      values (${key.storeId}, ${key.endpointId}, 'https://example.com/', 'x', '{}', 'active', ${before})`.execute(
      db,
    );
    const isWaiting = async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
      return rows.length > 0;
    };
    const waiting = await db.transaction().execute(async (trx) => {
      const turned = [await countStreaks(trx, [{ ...key, ...first }])];
      const other = db.transaction().execute((trx) => countStreaks(trx, [{ ...key, ...second }]));
      await eventually(isWaiting);
      return { turned, other };
    });
    const counts = [...waiting.turned, await waiting.other].map((turned) => turned.length);
    const endpoint = await db
      .selectFrom('webhook_endpoint')
      .select(['failures', 'status'])
      .where('id', '=', key.endpointId)
      .executeTakeFirstOrThrow();
    return { ...endpoint, counts };
  }

  it('are all counted, and mark it as failing once', async () => {
    expect(await count(0, failed(2), failed(2))).toEqual({ failures: 4, status: 'failing', counts: [0, 1] });
    expect(await count(0, failed(3), failed(1))).toEqual({ failures: 4, status: 'failing', counts: [1, 0] });
  });

  it('keep a success between failures in its place', async () => {
    const succeeded = { succeeded: true, failures: 0, lastMs: 5 };
    expect(await count(2, succeeded, failed(1))).toEqual({ failures: 1, status: 'active', counts: [0, 0] });
  });
});
