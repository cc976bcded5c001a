import { newId } from '@waybill/contracts';
import { deleteFormerSecrets } from '../src/endpoints/queries.ts';
import { openOwnDatabase } from './replica.ts';

test('a former secret is deleted after its overlap, not before, and nothing else changes', async () => {
  const { db, drop } = await openOwnDatabase();
  const storeId = newId('store');
  const endpoints = [-1000, 0, 60_000].map((inMs) => ({
    store_id: storeId,
    id: newId('webhookEndpoint'),
    url: 'https://example.com/',
    events: ['order.created' as const],
    status: 'active' as const,
    sealed_secret: 'new',
    sealed_previous_secret: 'old',
    previous_secret_expires_at: new Date(Date.now() + inMs),
  }));
  await db.insertInto('webhook_endpoint').values(endpoints).execute();
  const read = () => db.selectFrom('webhook_endpoint').selectAll().orderBy('id').execute();
  const before = await read();
  expect(await deleteFormerSecrets(db, 1)).toBe(true);
  expect(await deleteFormerSecrets(db, 2)).toBe(false);
  const forgotten = { sealed_previous_secret: null, previous_secret_expires_at: null };
  expect(await read()).toEqual([{ ...before[0], ...forgotten }, { ...before[1], ...forgotten }, before[2]]);
  await drop();
});
