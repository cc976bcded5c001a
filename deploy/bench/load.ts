import { Pool } from 'undici';

export interface Request {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  /** Beside those of every request. */
  headers?: Record<string, string>;
  body?: string;
}

export interface Load {
  perSecond: number;
  p50: number;
  p99: number;
}

/** A load of a process of its own, `arrivals.ts`. */
export interface Arrivals {
  url: string;
  /** Asked for in turn. */
  paths: string[];
  /** Null: another credential that never was for each request. */
  bearer: string | null;
  /** Each request says that it comes from another address. */
  isFromEverywhere?: boolean;
  connections: number;
  seconds: number;
  perSecond?: number;
}

/** What came of it; times in milliseconds, `perSecond` and the first ones of what was answered well and in time. */
export interface Outcome extends Load {
  refused: number;
  refusedP50: number;
  refusedP95: number;
  /** Answered well when nobody waited any more. */
  late: number;
  /** No answer. */
  failed: number;
}

/** The value below which that share of the numbers lies. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Sends requests over so many connections, one after the other on each, for a while; latencies in milliseconds. */
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

/** Does the same thing again and again, so many at a time, for a while. */
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
    p99: percentile(latencies, 0.99),
  };
}
