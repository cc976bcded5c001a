import { newId, type Principal } from '@waybill/contracts';
import { FairCapacity, type ServiceContext } from '@waybill/kernel';
import { sql } from 'kysely';
import { checkEndpoint } from '../src/checks/checks.ts';
import { newCopy, type OwnDatabase, openOwnDatabase } from './replica.ts';

describe('checks', () => {
  let own: OwnDatabase;
  beforeAll(async () => {
    own = await openOwnDatabase();
  });
  afterAll(() => own.drop());

  test('wait as long as a call may take, and are refused while too many wait', async () => {
    const storeId = newId('store');
    const newEndpoint = async () => {
      const id = newId('webhookEndpoint');
      await sql`insert into webhook_endpoint (store_id, id, url, sealed_secret, events, status)
        values (${storeId}, ${id}, 'https://example.com/', 'x', '{product.created}', 'active')`.execute(
        own.db,
      );
      return id;
    };
    const request = Promise.withResolvers<{ timeoutMs: number }>();
    const answered = Promise.withResolvers<object>();
    const call = async (
      service: string,
      _: string,
      __: string,
      ___: object,
      options: { timeoutMs: number },
    ) => {
      if (service !== 'delivery') return { rights: [[]] };
      request.resolve(options);
      return answered.promise;
    };
    const { context } = newCopy(own.db, { peers: { call } as unknown as ServiceContext['peers'] });
    context.state.checks = new FairCapacity(1);
    const principal = { kind: 'user', storeId, userId: newId('user'), role: 'owner' } as unknown as Principal;
    const check = (id: string) => checkEndpoint(context, storeId, principal, id);
    const [first, second] = [await newEndpoint(), await newEndpoint()];
    const running = check(first);
    // The name, the call and the end of a connection to a queue.
    expect((await request.promise).timeoutMs).toBeGreaterThanOrEqual(2_000 + 10_000 + 2_000);
    await expect(check(second)).rejects.toMatchObject({ code: 'resource_unavailable' });
    answered.resolve({ checks: [] });
    expect(await running).toEqual({ checks: [] });
    expect(await check(second)).toEqual({ checks: [] });
  });
});
