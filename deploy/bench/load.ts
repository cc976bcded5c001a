import { Pool } from 'undici';

export interface Request {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  /** Additional to those of every request. */
  headers?: Record<string, string>;
  body?: string;
}

export interface Load {
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
}

/** A load in a process of its own, `arrivals.ts`. */
export interface Arrivals {
  url: string;
  /** Requested in turn. */
  paths: string[];
  /** Null: each request has another credential that never existed. */
  bearer: string | null;
  /** Whether each request claims to come from another address. */
  isFromEverywhere?: boolean;
  connections: number;
  seconds: number;
  perSecond?: number;
}

/**
 * The result of a load; times are in milliseconds. `perSecond` and the inherited times are of successful answers in
 * time.
 */
export interface Outcome extends Load {
  refused: number;
  refusedP50: number;
  refusedP95: number;
  /** Successful answers that arrived after their clients had stopped waiting. */
  late: number;
  /** Requests without an answer. */
  failed: number;
}

/** Returns the quantile `share` of the numbers. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Sends requests over several connections for a while, one after the other on each; latencies are in milliseconds. */
export async function load(
  url: string,
  headers: Record<string, string>,
  next: () => Request,
  { connections = 16, seconds = 4 } = {},
): Promise<Load> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const result = await together(
    async () => {
      const { method, path, body, headers: own } = next();
      const reply = await pool.request({ method, path, headers: { ...headers, ...own }, body });
      const text = await reply.body.text();
      if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${text}`);
    },
    { connections, seconds },
  );
  await pool.close();
  return result;
}

/** Repeats the same work for a while, several at a time. */
export async function together(
  run: () => Promise<void>,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Load> {
  const latencies: number[] = [];
  const started = performance.now();
  const until = started + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        const sent = performance.now();
        await run();
        latencies.push(performance.now() - sent);
      }
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  return {
    perSecond: latencies.length / elapsed,
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
  };
}
