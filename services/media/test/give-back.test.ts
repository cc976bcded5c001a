import { newId } from '@waybill/contracts';
import type { ObjectStore } from '@waybill/object-store';
import type { TestSystem } from '@waybill/testing';
import { openTestDatabase } from '@waybill/testing';
import type { Kysely, Transaction } from 'kysely';
import type { Config } from '../src/config.ts';
import { originalKey, variantKey } from '../src/store.ts';
import type { Tables } from '../src/tables.ts';
import { releaseReservation, reserveQuota } from '../src/uploads/quota.ts';
import { startMedia } from './library.ts';

let system: TestSystem;
let db: Kysely<Tables>;
beforeAll(async () => {
  system = await startMedia();
  db = await openTestDatabase<Tables>(system.databaseUrl('media'), 3);
});
afterAll(async () => {
  await db.destroy();
  await system.stop();
});

const sha256 = 'a'.repeat(64);
const quotaBytes = 1_000_000;
const transaction = <Result>(work: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result> =>
  db.transaction().execute(work);

/** Creates a copy of the service over a shared object store. If `waits`, each of its removals waits until released. */
function copyOver(objects: Set<string>, waits = false) {
  let go = () => {};
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const gate = waits
    ? new Promise<void>((resolve) => {
        go = resolve;
      })
    : Promise.resolve();
  const store = {
    async delete(key: string) {
      begin();
      await gate;
      objects.delete(key);
    },
  } as ObjectStore;
  return { context: { config: { store, quotaBytes } as Config, db, transaction }, go: () => go(), begun };
}

/** Creates the remains of an upload whose process was killed after its bytes were stored. */
async function leftover() {
  const [storeId, id] = [newId('store'), newId('mediaAsset')];
  const reservation = { id, sha256, sizeBytes: 1000 };
  await reserveQuota(transaction, storeId, reservation, quotaBytes);
  const key = originalKey(storeId, sha256);
  return { storeId, reservation, key, objects: new Set([key]) };
}

const again = (storeId: string) =>
  reserveQuota(transaction, storeId, { id: newId('mediaAsset'), sha256, sizeBytes: 1000 }, quotaBytes);

describe('two replicas that sweep one reservation', () => {
  test('no upload may use its bytes before the slower one has removed them', async () => {
    const { storeId, reservation, key, objects } = await leftover();
    const slow = copyOver(objects, true);
    const removed = releaseReservation(slow.context, storeId, reservation);
    await slow.begun;
    await releaseReservation(copyOver(objects).context, storeId, reservation);
    await expect(again(storeId)).rejects.toMatchObject({ code: 'resource_unavailable' });
    slow.go();
    await removed;
    expect(objects).toEqual(new Set());
    await again(storeId);
    objects.add(key);
    expect(
      await db.selectFrom('media_reservation').select('removing').where('store_id', '=', storeId).execute(),
    ).toEqual([{ removing: false }]);
  });

  test('one that was too slow keeps files stored since', async () => {
    const { storeId, reservation, key, objects } = await leftover();
    await db
      .insertInto('media_variant')
      .values({
        store_id: storeId,
        sha256,
        name: 'w320.webp',
        size_bytes: 0,
        state: 'ready',
        changed_at: new Date(),
        used_at: new Date(),
      })
      .execute();
    objects.add(variantKey(storeId, sha256, 'w320.webp'));
    const slow = copyOver(objects, true);
    const removed = releaseReservation(slow.context, storeId, reservation);
    await slow.begun;
    await db
      .updateTable('media_reservation')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('store_id', '=', storeId)
      .execute();
    await releaseReservation(copyOver(objects).context, storeId, reservation);
    expect(objects).toEqual(new Set());
    await again(storeId);
    objects.add(key);
    slow.go();
    await removed;
    expect(objects).toEqual(new Set([key]));
  });
});
