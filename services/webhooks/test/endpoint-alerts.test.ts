import { newId, type Principal } from '@waybill/contracts';
import { shiftTimes } from '@waybill/testing';
import { sql } from 'kysely';
import { replaceEndpoint } from '../src/endpoints/endpoints.ts';
import type { WebhookReplacement } from '../src/endpoints/routes.ts';
import { newCopy, type OwnDatabase, openOwnDatabase } from './replica.ts';

let own: OwnDatabase;
beforeAll(async () => {
  own = await openOwnDatabase();
});
afterAll(() => own.drop());

async function newEndpoint(columns: Record<string, string>) {
  const [storeId, id] = [newId('store'), newId('webhookEndpoint')];
  const names = Object.keys(columns);
  const extra = names.length > 0 ? `, ${names.join()}` : '';
  const values = names.length > 0 ? `, ${Object.values(columns).join()}` : '';
  await sql`insert into webhook_endpoint (store_id, id, url, sealed_secret, events, status ${sql.raw(extra)})
    values (${storeId}, ${id}, 'https://hooks.example.com/secret', 'x', '{product.created}', 'active' ${sql.raw(values)})`.execute(
    own.db,
  );
  return { storeId, id };
}
const mails = async (storeId: string) => {
  const { rows } = await sql<{ mail: { template: string; data: object } }>`
    select data::jsonb -> 'mail' as mail from outbox where store_id = ${storeId} order by event_id`.execute(
    own.db,
  );
  return rows.map(({ mail }) => mail);
};
const readStatus = async (id: string) => {
  const endpoint = own.db.selectFrom('webhook_endpoint').select('status').where('id', '=', id);
  return (await endpoint.executeTakeFirstOrThrow()).status;
};
const check = async () => {
  await newCopy(own.db).finish('check-failures');
};

describe('an alert', () => {
  const withAttempts = async (attempts: number, failed: number, minutesAgo = 1) => {
    const endpoint = await newEndpoint({ failure_alerts: `'{"percent":50,"minutes":10}'` });
    await sql`insert into webhook_attempt_minute (store_id, endpoint_id, minute, attempts, failed)
      values (${endpoint.storeId}, ${endpoint.id}, now() - make_interval(mins => ${minutesAgo}), ${attempts}, ${failed})`.execute(
      own.db,
    );
    return endpoint;
  };

  test('is mailed once a day if more than its share of at least ten attempts failed in its period', async () => {
    const endpoints = {
      failing: await withAttempts(10, 6),
      half: await withAttempts(10, 5),
      few: await withAttempts(9, 9),
      before: await withAttempts(10, 10, 11),
    };
    await check();
    await check();
    expect(await mails(endpoints.failing.storeId)).toEqual([
      {
        template: 'endpointFailureRate',
        data: { endpointId: endpoints.failing.id, host: 'hooks.example.com', percent: '50', minutes: '10' },
      },
    ]);
    for (const { storeId } of [endpoints.half, endpoints.few, endpoints.before])
      expect(await mails(storeId)).toEqual([]);
    await sql`update webhook_endpoint set ${sql.raw(shiftTimes('told_failure_rate_at', '1 day'))}`.execute(
      own.db,
    );
    await check();
    expect(await mails(endpoints.failing.storeId)).toHaveLength(2);
  });
});

describe('an endpoint that fails for days', () => {
  const days = (count: number) => `now() - interval '${count} days'`;
  const templates = async (storeId: string) => (await mails(storeId)).map(({ template }) => template);

  test('is disabled, with a mail a day before and one at that time', async () => {
    const { storeId, id } = await newEndpoint({
      disable_after_days: '3',
      failing_since: days(2),
      last_failed_at: 'now()',
      failures: '7',
    });
    await check();
    await check();
    expect([await templates(storeId), await readStatus(id)]).toEqual([['endpointDisabledSoon'], 'active']);
    const later = sql`update webhook_endpoint set ${sql.raw(shiftTimes('failing_since', '1 day'))},
      ${sql.raw(shiftTimes('told_disabling_at', '1 day'))} where id = ${id}`;
    await later.execute(own.db);
    await check();
    expect([await templates(storeId), await readStatus(id)]).toEqual([
      ['endpointDisabledSoon', 'endpointDisabled'],
      'disabled',
    ]);
  });

  test('stays enabled after a successful call, without calls since, and without that setting', async () => {
    const succeeded = await newEndpoint({ disable_after_days: '1' });
    const silent = await newEndpoint({
      disable_after_days: '3',
      failing_since: days(9),
      last_failed_at: days(8),
      told_disabling_at: days(5),
    });
    const never = await newEndpoint({ failing_since: days(30), last_failed_at: 'now()' });
    await check();
    for (const { storeId, id } of [succeeded, silent, never])
      expect([await templates(storeId), await readStatus(id)]).toEqual([[], 'active']);
  });

  test('goes on failing when it is replaced, unless it is switched on or its calls go elsewhere', async () => {
    const url = 'https://1.1.1.1/hook';
    async function replaced(input: Partial<WebhookReplacement>, was = 'failing') {
      const { storeId, id } = await newEndpoint({
        failing_since: days(2),
        told_disabling_at: days(1),
        failures: '9',
      });
      await sql`update webhook_endpoint set status = ${was}, url = ${url} where id = ${id}`.execute(own.db);
      const { context } = newCopy(own.db, { config: { encryptionKeys: [] } as never });
      const checked = {
        input: { url, events: ['product.created' as const], ...input },
        origin: 'https://1.1.1.1',
      };
      const principal = {
        kind: 'user',
        storeId,
        userId: newId('user'),
        role: 'owner',
      } as unknown as Principal;
      const replacement = { checked, rights: null, status: input.status };
      await context.write((write) => replaceEndpoint(write, context, storeId, principal, id, replacement));
      const { rows } = await sql<{ isFailing: boolean; isNotified: boolean; failures: number }>`
        select failing_since is not null as "isFailing", told_disabling_at is not null as "isNotified", failures
        from webhook_endpoint where id = ${id}`.execute(own.db);
      return rows[0];
    }
    expect(await replaced({ description: 'x' })).toEqual({ isFailing: true, isNotified: true, failures: 0 });
    expect(await replaced({ description: 'x', status: 'failing' })).toEqual({
      isFailing: true,
      isNotified: true,
      failures: 9,
    });
    expect(await replaced({ url: 'https://1.1.1.1/other' })).toEqual({
      isFailing: false,
      isNotified: false,
      failures: 0,
    });
    expect(await replaced({}, 'disabled')).toEqual({ isFailing: false, isNotified: false, failures: 0 });
  });
});
