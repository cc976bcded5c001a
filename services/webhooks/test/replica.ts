import { randomBytes } from 'node:crypto';
import type { DeliveryJob } from '@waybill/contracts';
import {
  type Bus,
  createInProcessBus,
  createLog,
  createWriteContext,
  detectCitus,
  openDatabase,
  type ServiceContext,
} from '@waybill/kernel';
import { cloneDatabases, dropDatabases, serverUrl } from '@waybill/testing';
import type { Kysely, Transaction } from 'kysely';
import type { Config } from '../src/config.ts';
import type { Context, Write } from '../src/context.ts';
import { createState, webhooks } from '../src/index.ts';
import type { Tables } from '../src/tables.ts';
import { tasks } from '../src/tasks.ts';

/** A database of the service for one suite. */
export interface OwnDatabase {
  db: Kysely<Tables>;
  drop(): Promise<void>;
}

export async function openOwnDatabase(poolSize = 2): Promise<OwnDatabase> {
  const namespace = `wbt_${process.env.WAYBILL_TEST_RUN ?? process.pid}_${randomBytes(4).toString('hex')}`;
  await cloneDatabases([webhooks], namespace);
  const url = new URL(serverUrl);
  url.pathname = `/${namespace}_webhooks`;
  const db = openDatabase<Tables>({ service: 'webhooks', url: url.href, poolSize });
  await detectCitus(db);
  return {
    db,
    async drop() {
      await db.destroy();
      await dropDatabases(namespace);
    },
  };
}

/** Creates one of several copies of the service and collects the jobs that it hands over to delivery. */
export function newCopy(db: Kysely<Tables>, others: Partial<ServiceContext> = {}) {
  const handed: DeliveryJob[] = [];
  const { stopping = new AbortController().signal } = others;
  const config = {
    eventLogDays: 30,
    trustedTargets: [],
    hostLimits: { concurrency: 100_000, perSecond: 100_000 },
    ...(others.config as object | undefined),
  } as unknown as Config;
  const bus: Bus = {
    ...createInProcessBus(createLog('silent')),
    isSingleProcess: false,
    enqueue: async (_: string, jobs: readonly unknown[]) => void handed.push(...(jobs as DeliveryJob[])),
    backlog: async (_: string) => ({ waiting: 0, workers: 1 }),
  };
  // Partial rather than cast, so that the compiler knows each field by its name.
  const known: Partial<Context> = {
    ...(others as Partial<Context>),
    config,
    stopping,
    db,
    bus,
    transaction: <Result>(work: (trx: Transaction<Tables>) => Promise<Result>) =>
      db.transaction().execute(work),
    async write<Result>(work: (write: Write) => Promise<Result>) {
      const effects: (() => unknown)[] = [];
      const result = await db
        .transaction()
        .execute((trx) => work(createWriteContext(trx, (effect) => effects.push(effect))));
      for (const effect of effects) await effect();
      return result;
    },
    wakeTask() {},
    state: createState({ bus, config, db, stopping }),
  };
  const context = known as Context;
  const all = tasks(context);
  const run = (name: string) => all.find((task) => task.name === name)!.run();
  return {
    context,
    handed,
    dispatch: async () => void (await run('dispatch')),
    /** Runs a task until it has no more to do. */
    async finish(name: string) {
      while (await run(name));
    },
  };
}
