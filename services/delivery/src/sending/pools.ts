import { type Dispatcher, Pool } from 'undici';
import type { Connector } from './connector.ts';

/** The connections to each origin, for as long as the origin has a call in hand or a connection open. */
export interface Pools {
  /** Does the work with the origin's pool. */
  use<Result>(origin: string, work: (pool: Dispatcher) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** A connection older than this gets no new call, so that a receiver that moves in DNS is found again. */
const connectionLifeMs = 60_000;

/**
 * Pools by origin. undici's `Agent` is not used because it keeps the pool of an origin for ever once a call to
 * it was aborted, which every hanging receiver brings about.
 */
export function createPools(connector: Connector, idleMs: number): Pools {
  const pools = new Map<string, { pool: Pool; calls: number }>();
  const settings = {
    connect: connector.connect,
    allowH2: false,
    // The deadline of a call is its own; these would only cut it shorter.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
  };

  function retire(origin: string): void {
    const entry = pools.get(origin);
    if (entry === undefined || entry.calls > 0 || connector.isOpenTo(origin)) return;
    pools.delete(origin);
    entry.pool.close();
  }
  connector.onLastClosed(retire);

  return {
    async use(origin, work) {
      const entry = pools.get(origin) ?? {
        pool: new Pool(origin, { ...settings, clientTtl: connectionLifeMs }),
        calls: 0,
      };
      pools.set(origin, entry);
      entry.calls++;
      try {
        return await work(entry.pool);
      } finally {
        entry.calls--;
        retire(origin);
      }
    },
    async close() {
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map(({ pool }) => pool.close()));
    },
  };
}
