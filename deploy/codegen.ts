import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from './standalone/postgres.ts';

// `npm run codegen`: the tables' types, from what the migrations make on a PostgreSQL that is started for it. One that
// DATABASE_URL names is taken instead.
const write = async () => {
  // By its path: it is a tool, no part of what @waybill/testing exports. It reads DATABASE_URL when it is loaded.
  const tool = new URL('../packages/testing/codegen.ts', import.meta.url);
  const { writeTables }: { writeTables: () => Promise<void> } = await import(tool.href);
  await writeTables();
};

if (process.env.DATABASE_URL) await write();
else {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-codegen-'));
  const postgres = await startPostgres({ dataDir: folder, log: () => {}, settings: { fsync: 'off' } });
  try {
    process.env.DATABASE_URL = postgres.url;
    await write();
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
