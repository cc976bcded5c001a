import { type Dispatcher, Pool } from 'undici';
import type { Connector } from './connector.ts';

/** The connections to each origin, for as long as the origin has a call in flight or a connection open. */
export interface Pools {
  /** Does the work with the origin's pool. */
  use<Result>(origin: string, work: (pool: Dispatcher) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/**
 * A pool older than this gets no new call, so that a receiver that moves in DNS is found again. undici's own
 * `clientTtl` reads the clock for every busy connection before every call.
 */
const poolLifeMs = 60_000;

/**
 * Pools by origin. undici's `Agent` is not used because it keeps the pool of an origin for ever once a call to
 * it was aborted, which every hanging receiver brings about.
 */
export function createPools(connector: Connector, idleMs: number): Pools {
  const pools = new Map<string, { pool: Pool; calls: number; outdatedAt: number }>();
  const closing = new Set<Promise<void>>();
  const settings = {
    connect: connector.connect,
    allowH2: false,
    // The deadline of a call is its own; these would only cut it shorter.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
  };

  /** No new call gets it; those in flight end on it. */
  function close(origin: string, pool: Pool): void {
    pools.delete(origin);
    const closed = pool.close().finally(() => closing.delete(closed));
    closing.add(closed);
  }

  function retire(origin: string): void {
    const entry = pools.get(origin);
    if (entry && entry.calls === 0 && !connector.isOpenTo(origin)) close(origin, entry.pool);
  }
  connector.onLastClosed(retire);

  function poolOf(origin: string) {
    const now = performance.now();
    let entry = pools.get(origin);
    if (entry && entry.outdatedAt <= now) close(origin, entry.pool);
    else if (entry) return entry;
    entry = { pool: new Pool(origin, settings), calls: 0, outdatedAt: now + poolLifeMs };
    pools.set(origin, entry);
    return entry;
  }

  return {
    async use(origin, work) {
      const entry = poolOf(origin);
      entry.calls++;
      try {
        return await work(entry.pool);
      } finally {
        entry.calls--;
        retire(origin);
      }
    },
    async close() {
      for (const [origin, { pool }] of pools) close(origin, pool);
      await Promise.all(closing);
    },
  };
}
