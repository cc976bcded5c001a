import { Gauge, type Log, metrics, type TaskDefinition } from '@waybill/kernel';
import { isSealedWithFirst, open, opens, type SealingKeys, seal } from './secret-box.ts';

const unopened = new Gauge({
  name: 'waybill_sealed_secrets_unopened',
  help: 'Secrets at rest that no key of the configuration opens, as of the last walk through all of them.',
  labelNames: ['service'],
  registers: [metrics],
});

/** A row with secrets that are bound to `context`; null: there is none in that column. */
export interface SealedRow {
  context: string;
  sealed: readonly (string | null)[];
}

export interface Resealing<Row extends SealedRow> {
  service: string;
  keys: SealingKeys;
  log: Log;
  /** The rows after one, null: from the first on, in an order that lasts; fewer than `limit`: there are no more. */
  read(after: Row | null, limit: number): Promise<Row[]>;
  /** Writes sealed texts in the place of those of `row`, unless they are other ones by now. */
  replace(row: Row, sealed: readonly (string | null)[]): Promise<void>;
}

const atOnce = 200;

/**
 * The background task that seals anew, with the first key, what another key has sealed: `decisions.md 18.1`. It walks
 * through all rows, some at a turn, from the beginning every hour: copies of the service that run with the keys of before
 * may write behind it. Killed it begins again, and passes over what is done. A setting with one key has nothing for it
 * to do but where there were several.
 */
export function resealTask<Row extends SealedRow>(options: Resealing<Row>): TaskDefinition {
  const { service, keys, log, read, replace } = options;
  let place: Row | null = null;
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
      const rows = await read(place, atOnce);
      for (const row of rows) await reseal(row);
      place = rows.at(-1) ?? null;
      if (rows.length === atOnce) return true;
      place = null;
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

/** How many rows hold a secret that `held` opens and `others` do not. `read` is `Resealing`'s. */
export async function countHeldBy<Row extends SealedRow>(
  read: Resealing<Row>['read'],
  held: SealingKeys,
  others: SealingKeys,
): Promise<number> {
  let count = 0;
  for (let place: Row | null = null; ; ) {
    const rows: Row[] = await read(place, atOnce);
    const needs = ({ sealed, context }: Row) =>
      sealed.some((text) => text && opens(held, text, context) && !opens(others, text, context));
    count += rows.filter(needs).length;
    if (rows.length < atOnce) return count;
    place = rows.at(-1)!;
  }
}
