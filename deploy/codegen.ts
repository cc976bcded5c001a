import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from './standalone/postgres.ts';

// `npm run codegen`: generates the tables' types from the result of the migrations, on a PostgreSQL that is started for
// it, or on the one that DATABASE_URL names.
const write = async () => {
  // Imported by its path, because it is a tool and not exported by @waybill/testing. It reads DATABASE_URL when it is
  // loaded.
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
