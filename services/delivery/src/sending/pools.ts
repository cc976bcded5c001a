import { createHash } from 'node:crypto';
import { type Dispatcher, Pool } from 'undici';
import type { ClientIdentity, Connector } from './connector.ts';

/** The connection pools by origin. A pool lives as long as its origin has a call in flight or an open connection. */
export interface Pools {
  /** Runs `work` with the pool of an origin and of the certificate presented to it. */
  use<Result>(
    origin: string,
    identity: ClientIdentity | undefined,
    work: (pool: Dispatcher) => Promise<Result>,
  ): Promise<Result>;
  close(): Promise<void>;
}

/**
 * How long a pool gets new calls, so that a receiver that moves in DNS is found again. undici's own `clientTtl` reads
 * the clock for every busy connection before every call.
 */
const poolLifeMs = 60_000;

/**
 * Creates pools by origin. undici's `Agent` is not used because it keeps the pool of an origin forever once a call to
 * it was aborted, which happens with every hanging receiver.
 */
export function createPools(connector: Connector, idleMs: number): Pools {
  const pools = new Map<string, { pool: Pool; calls: number; expiresAt: number }>();
  const closing = new Set<Promise<void>>();
  const settings = {
    allowH2: false,
    // Calls have a deadline of their own; these timeouts could only cut it shorter.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
  };

  /** Takes the pool out of use: calls in flight end on it, and new calls get another. */
  function close(key: string, pool: Pool): void {
    pools.delete(key);
    const closed = pool.close().finally(() => closing.delete(closed));
    closing.add(closed);
  }

  function retire(key: string): void {
    const entry = pools.get(key);
    if (entry && entry.calls === 0 && !connector.isOpenTo(key)) close(key, entry.pool);
  }
  connector.onLastClosed(retire);

  function getPool(key: string, origin: string, identity: ClientIdentity | undefined) {
    const now = performance.now();
    let entry = pools.get(key);
    if (entry && entry.expiresAt <= now) close(key, entry.pool);
    else if (entry) return entry;
    const connect = connector.connectTo(key, identity);
    entry = { pool: new Pool(origin, { ...settings, connect }), calls: 0, expiresAt: now + poolLifeMs };
    pools.set(key, entry);
    return entry;
  }

  return {
    async use(origin, identity, work) {
      const key = identity ? `${origin} ${hashIdentity(identity)}` : origin;
      const entry = getPool(key, origin, identity);
      entry.calls++;
      try {
        return await work(entry.pool);
      } finally {
        entry.calls--;
        retire(key);
      }
    },
    async close() {
      for (const [key, { pool }] of pools) close(key, pool);
      await Promise.all(closing);
    },
  };
}

const hashIdentity = ({ certificate, key }: ClientIdentity) =>
  createHash('sha256').update(`${certificate}\n${key}`).digest('base64url');
