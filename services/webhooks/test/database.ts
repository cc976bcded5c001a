import { randomBytes } from 'node:crypto';
import { openDatabase } from '@waybill/kernel';
import { cloneDatabases, dropDatabases, serverUrl } from '@waybill/testing';
import type { Kysely } from 'kysely';
import { webhooks } from '../src/index.ts';
import type { Tables } from '../src/tables.ts';

/** A database of the service for one suite. */
export interface OwnDatabase {
  db: Kysely<Tables>;
  drop(): Promise<void>;
}

export async function openOwnDatabase(): Promise<OwnDatabase> {
  const namespace = `wbt_${process.env.WAYBILL_TEST_RUN ?? process.pid}_${randomBytes(4).toString('hex')}`;
  await cloneDatabases([webhooks], namespace);
  const url = new URL(serverUrl);
  url.pathname = `/${namespace}_webhooks`;
  const db = openDatabase<Tables>({ service: 'webhooks', url: url.href, poolSize: 2 });
  return {
    db,
    async drop() {
      await db.destroy();
      await dropDatabases(namespace);
    },
  };
}
