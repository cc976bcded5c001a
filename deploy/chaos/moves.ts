import { dropDatabases } from '@waybill/testing';
import pg from 'pg';
import { databaseServices } from '../servers/databases.ts';
import { type Shop, say } from './load.ts';
import { startProxy } from './proxy.ts';
import type { ChaosServer } from './servers.ts';

/** How Citus moves a shard: first the rows and then the changes made meanwhile, or while writes wait. */
export type MoveMode = 'force_logical' | 'block_writes';

export interface CitusServer extends ChaosServer {
  /** The workers in the form of `WAYBILL_CITUS_WORKERS`. */
  workers: string;
}

/** Returns the Citus cluster that `WAYBILL_TEST_CITUS` names, on which the run only has databases. */
export async function citusServer(): Promise<CitusServer> {
  const url = process.env.WAYBILL_TEST_CITUS!;
  return {
    proxy: await startProxy(Number(new URL(url).port) || 5432),
    workers: process.env.WAYBILL_TEST_CITUS_WORKERS ?? '',
    url,
    directUrl: () => url,
    pids: async () => [],
    async start() {
      throw new Error('the Citus cluster is not the run’s own');
    },
  };
}

export const dropCitusDatabases = (namespace: string): Promise<void> => dropDatabases(`${namespace}_`);

/** The place of a store's rows in one service's database. */
interface Placement {
  shardId: string;
  host: string;
  port: number;
}

/**
 * Moves the rows of a shop to another worker, service by service, while it sells, and measures how long it did not
 * sell.
 */
export class Moves {
  readonly #databaseUrl: (service: string) => string;
  readonly #shop: Shop;
  readonly #moves = new Map<MoveMode, { ms: number; gapMs: number; sales: number }[]>();

  constructor(databaseUrl: (service: string) => string, shop: Shop) {
    this.#databaseUrl = databaseUrl;
    this.#shop = shop;
  }

  async move(mode: MoveMode): Promise<void> {
    const sold = () => this.#shop.sales.count('placed');
    const before = sold();
    const began = performance.now();
    const gaps = watchGaps(sold);
    for (const service of databaseServices) await this.#moveIn(service, mode);
    const move = { ms: performance.now() - began, gapMs: gaps.stop(), sales: sold() - before };
    this.#moves.set(mode, [...(this.#moves.get(mode) ?? []), move]);
    const { ms, gapMs, sales } = move;
    say(`moved by ${mode} in ${ms.toFixed(0)} ms: ${sales} sales meanwhile, ${gapMs.toFixed(0)} ms without`);
  }

  async #moveIn(service: string, mode: MoveMode): Promise<void> {
    const client = new pg.Client(this.#databaseUrl(service));
    await client.connect();
    try {
      const { shardId, host, port } = await findPlacement(client, this.#shop.storeId);
      const { rows } = await client.query<{ host: string; port: number }>(
        `select nodename as host, nodeport as port from pg_dist_node
         where noderole = 'primary' and shouldhaveshards and (nodename, nodeport) <> ($1, $2) order by nodeid limit 1`,
        [host, port],
      );
      const to = rows[0]!;
      await client.query(
        'select citus_move_shard_placement($1, $2, $3, $4, $5, $6::citus.shard_transfer_mode)',
        [shardId, host, port, to.host, to.port, mode],
      );
      const now = await findPlacement(client, this.#shop.storeId);
      if (now.port !== to.port || now.host !== to.host)
        throw new Error(`the rows of ${service} are at ${now.host}:${now.port}`);
    } finally {
      await client.end();
    }
  }

  /** Returns the figures for the table of the run. */
  figures(): Record<string, string> {
    return Object.fromEntries(
      [...this.#moves].map(([mode, moves]) => {
        const most = (of: (move: (typeof moves)[number]) => number) => Math.max(...moves.map(of)).toFixed(0);
        const sales = moves.reduce((sum, move) => sum + move.sales, 0);
        return [
          `moved by ${mode}`,
          `${moves.length} times, at most ${most(({ ms }) => ms)} ms, ${sales} sales meanwhile, at most ${most(({ gapMs }) => gapMs)} ms without one`,
        ];
      }),
    );
  }
}

/** Finds the placement of a store. All of its tables are colocated, so reading one of them is enough. */
async function findPlacement(client: pg.Client, storeId: string): Promise<Placement> {
  const { rows } = await client.query<Placement>(
    `select shardid as "shardId", nodename as host, nodeport as port from pg_dist_placement
       join pg_dist_node using (groupid)
     where shardid = get_shard_id_for_distribution_column('outbox', $1::text)`,
    [storeId],
  );
  return rows[0]!;
}

/** Measures the longest time in which a count did not rise. */
function watchGaps(count: () => number): { stop(): number } {
  let last = count();
  let at = performance.now();
  let longest = 0;
  const look = () => {
    longest = Math.max(longest, performance.now() - at);
    if (count() === last) return;
    last = count();
    at = performance.now();
  };
  const timer = setInterval(look, 20);
  return {
    stop() {
      clearInterval(timer);
      look();
      return longest;
    },
  };
}
