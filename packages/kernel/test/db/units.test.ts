import { randomBytes } from 'node:crypto';
import { dropDatabases, serverUrl } from '@waybill/testing';
import { type Kysely, sql } from 'kysely';
import { ensureDatabase, openDatabase } from '../../src/db/database.ts';
import { createUnitsOfWork } from '../../src/db/units.ts';

const name = `wbt_${process.env.WAYBILL_TEST_RUN ?? process.pid}_units_${randomBytes(4).toString('hex')}`;
let db: Kysely<{ note: { text: string } }>;
beforeAll(async () => {
  db = openDatabase({ service: 'units', url: await ensureDatabase(serverUrl, name), poolSize: 2 });
  await sql`create table note (text text)`.execute(db);
});
afterAll(async () => {
  await db.destroy();
  await dropDatabases(name);
});

test('a transaction within a unit that fails leaves nothing, also of before another one within it', async () => {
  const units = createUnitsOfWork(db, () => {}, { isAmbient: true });
  const insert = (text: string) => units.db.insertInto('note').values({ text }).execute();
  await units.run('read committed', async () => {
    await insert('unit');
    const failing = units.transaction(async () => {
      await insert('outer');
      await units.transaction(() => insert('inner'));
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    await units.transaction(() => insert('next'));
  });
  expect(await db.selectFrom('note').select('text').execute()).toEqual([{ text: 'unit' }, { text: 'next' }]);
});
