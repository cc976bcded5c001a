import { metrics } from '@waybill/kernel';
import { cloneDatabases, dropDatabases, openTestDatabase, serverUrl } from '@waybill/testing';
import { type Kysely, sql } from 'kysely';
import type { Context } from '../src/config.ts';
import { content } from '../src/index.ts';
import { tasks } from '../src/publication/live-pages/render-stale.ts';
import { claimStale } from '../src/publication/live-pages/stale-queries.ts';
import { renderer } from '../src/publication/rendering/render-page.ts';
import type { Tables } from '../src/tables.ts';

// A database without a running service, so that queued pages stay queued.
const namespace = `wbt_${process.env.WAYBILL_TEST_RUN ?? process.pid}_stale`;
let db: Kysely<Tables>;
beforeAll(async () => {
  await cloneDatabases([content], namespace);
  const url = new URL(serverUrl);
  url.pathname = `/${namespace}_content`;
  db = await openTestDatabase<Tables>(url.href, 2);
});
afterAll(async () => {
  await db.destroy();
  await dropDatabases(namespace);
});

/** Creates live pages of a store that have been due for rendering since `seconds` ago. */
async function putInLine(storeId: string, pages: number, seconds: number): Promise<void> {
  const ids = Array.from({ length: pages }, (_, i) => `pag_${i}`);
  await sql`
    insert into page (store_id, id, name, slug, position, is_homepage, settings, created_at, updated_at)
    select ${storeId}, id, id, id, place, false, '{}', now(), now()
    from unnest(${ids}::text[]) with ordinality as page (id, place)`.execute(db);
  await sql`
    insert into live_page (store_id, page_id, document, sources, rendered, renderer)
    select store_id, id, '{}', '{}', '{}', '' from page where store_id = ${storeId}`.execute(db);
  await sql`
    insert into stale_page (store_id, page_id, takes_new_builds, due_at)
    select store_id, page_id, false, clock_timestamp() - make_interval(secs => ${seconds})
    from live_page where store_id = ${storeId}`.execute(db);
}

test('stores take turns, the longest waiting first, regardless of their numbers of pages', async () => {
  await putInLine('str_b', 100, 60);
  await putInLine('str_a', 1, 5);
  await putInLine('str_c', 3, 1);
  await putInLine('str_d', 1, -60);
  const turns: string[] = [];
  let after = '';
  for (let turn = 0; turn < 6; turn++) {
    const claimed = await claimStale(db, after, 20, 600);
    after = claimed[0]?.storeId ?? '';
    turns.push(`${after} ${claimed.length}`);
  }
  expect(turns).toEqual(['str_a 1', 'str_b 20', 'str_c 3', ' 0', 'str_b 20', ' 0']);
});

test('pages of an older renderer are queued in small batches until all are rendered', async () => {
  await sql`delete from live_page`.execute(db);
  const ids = sql`select 'str_' || n % 7, 'pag_' || n, '{}', '{}', '{}', 'old' from generate_series(1, 5000) n`;
  await sql`
    insert into live_page (store_id, page_id, document, sources, rendered, renderer) ${ids}`.execute(db);
  const transaction = (work: (trx: never) => Promise<unknown>) => db.transaction().execute(work as never);
  const all = tasks({ db, transaction, bus: { isSingleProcess: false } } as never);
  const run = (name: string) => all.find((task) => task.name === name)!.run();
  const inLine = async () => Number((await db.selectFrom('stale_page').select('page_id').execute()).length);
  while (await run('find-old-renderings'));
  const lines = [await inLine()];
  while (lines.at(-1)! > 0) {
    // Marks them as rendered.
    await sql`
      update live_page set renderer = ${renderer} where (store_id, page_id) in (select store_id, page_id from stale_page)
    `.execute(db);
    await sql`delete from stale_page`.execute(db);
    await run('make-stale-pages');
    lines.push(await inLine());
  }
  expect(lines).toEqual([2_000, 2_000, 1_000, 0]);
  expect(await run('make-stale-pages')).toBe(false);
});

test('gauges show how many pages wait, for how long, and which cannot be rendered', async () => {
  await sql`delete from stale_page`.execute(db);
  const measure = tasks({ db, bus: { isSingleProcess: false } } as Context).find(
    ({ name }) => name === 'measure-stale-pages',
  )!;
  const readGauges = async () => {
    await measure.run();
    const names = ['waybill_stale_pages', 'waybill_stale_oldest_seconds', 'waybill_stale_failing_pages'];
    return Promise.all(
      names.map(async (name) => (await metrics.getSingleMetric(name)!.get()).values[0]!.value),
    );
  };
  expect(await readGauges()).toEqual([0, 0, 0]);
  await putInLine('str_e', 3, 100);
  await sql`update stale_page set failures = 6 where page_id = 'pag_1'`.execute(db);
  const [waiting, oldest, failing] = await readGauges();
  expect([waiting, failing]).toEqual([3, 1]);
  expect(oldest).toBeGreaterThanOrEqual(100);
  expect(oldest).toBeLessThan(200);
});
