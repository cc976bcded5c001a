import { Gauge, type Log, metrics, type TaskDefinition } from '@waybill/kernel';
import { isSealedWithFirst, open, opens, type SealingKeys, seal } from './secret-box.ts';

const unopened = new Gauge({
  name: 'waybill_sealed_secrets_unopened',
  help: 'Secrets at rest that no key of the configuration opens, as of the last walk through all of them.',
  labelNames: ['service'],
  registers: [metrics],
});

/** A row whose sealed secrets are bound to `context`. A null entry is a column without a secret. */
export interface SealedRow {
  context: string;
  sealed: readonly (string | null)[];
}

export interface Resealing<Row extends SealedRow> {
  service: string;
  keys: SealingKeys;
  log: Log;
  /**
   * Returns the rows after the given one in a stable order, or the first rows for null. Fewer than `limit` rows mean
   * the end.
   */
  read(after: Row | null, limit: number): Promise<Row[]>;
  /** Replaces the sealed texts of `row`, unless they have changed in the meantime. */
  replace(row: Row, sealed: readonly (string | null)[]): Promise<void>;
}

const batchSize = 200;

/**
 * Returns the background task that reseals secrets with the first key if another key has sealed them (`decisions.md
 * 18.1`). The task walks through all rows in batches and starts over every hour, because copies of the service that
 * still run with the old keys may write behind it. After a crash it starts from the beginning and skips the rows that
 * are done. With a single key it only has work if the configuration had several keys before.
 */
export function resealTask<Row extends SealedRow>(options: Resealing<Row>): TaskDefinition {
  const { service, keys, log, read, replace } = options;
  let lastRow: Row | null = null;
  let done = { resealed: 0, unopened: 0 };

  async function reseal(row: Row): Promise<void> {
    if (row.sealed.every((text) => text === null || isSealedWithFirst(keys, text))) return;
    try {
      const texts = row.sealed.map((text) => text && seal(keys, open(keys, text, row.context), row.context));
      await replace(row, texts);
      done.resealed++;
    } catch (err) {
      if (!/^a sealed secret cannot be opened/.test((err as Error).message)) throw err;
      done.unopened++;
    }
  }

  return {
    name: 'reseal-secrets',
    everyMs: 3_600_000,
    async run() {
      const rows = await read(lastRow, batchSize);
      for (const row of rows) await reseal(row);
      lastRow = rows.at(-1) ?? null;
      if (rows.length === batchSize) return true;
      lastRow = null;
      unopened.set({ service }, done.unopened);
      const key = keys[0]!.id;
      if (done.unopened > 0)
        log.error({ key, ...done }, 'secrets at rest were sealed with a key that the configuration lacks');
      else if (done.resealed > 0) log.info({ key, ...done }, 'every secret at rest is sealed with this key');
      done = { resealed: 0, unopened: 0 };
      return false;
    },
  };
}

/** Counts the rows with a secret that `held` opens and `others` do not. `read` is the function of `Resealing`. */
export async function countHeldBy<Row extends SealedRow>(
  read: Resealing<Row>['read'],
  held: SealingKeys,
  others: SealingKeys,
): Promise<number> {
  let count = 0;
  for (let lastRow: Row | null = null; ; ) {
    const rows: Row[] = await read(lastRow, batchSize);
    const needs = ({ sealed, context }: Row) =>
      sealed.some((text) => text && opens(held, text, context) && !opens(others, text, context));
    count += rows.filter(needs).length;
    if (rows.length < batchSize) return count;
    lastRow = rows.at(-1)!;
  }
}
