import { pause, waitMsAfter } from './attempts.ts';
import type { Client } from './client.ts';
import { isWaybillError, WaybillError } from './errors.ts';
import type { Model } from './models.ts';

export interface FollowOptions {
  /** The `id` of the last event that you processed; iteration starts after it. */
  after?: string;
  /**
   * Without `after`: the time to start at (RFC 3339). Without both, iteration starts at the oldest event in the log.
   */
  since?: string;
  types?: readonly string[];
  /** Ends the iteration. */
  signal?: AbortSignal;
  /** The store, if the credential is a user's token. Keys and app tokens belong to one store. */
  storeId?: string;
  /** How long the server holds a request while there are no events, in seconds; 0 to 30, default 25. */
  wait?: number;
  /** Called with the thrown error when the server is unavailable; the request is retried automatically. */
  onInterrupted?(error: unknown): void;
}

/** The longest pause, unless the server asks for a longer one. */
const longestPauseMs = 30_000;
/** An empty answer that came sooner was not held, because too many clients are waiting on the server. */
const minHoldMs = 1_000;

/**
 * Iterates over events as they happen, oldest first, from the log (`decisions.md 12.1`). Each event arrives at least
 * once and none is skipped. Store the `id` of each processed event and pass it as `after` next time. A server that is
 * unavailable or overloaded is asked again, not before its `Retry-After`, until `signal` ends the iteration. Every other
 * error is thrown: `cursor_expired` means that `after` is older than the log.
 */
export async function* follow(
  client: Pick<Client, 'fetch'>,
  { after, since, types, signal, storeId, wait = 25, onInterrupted }: FollowOptions = {},
): AsyncGenerator<Model<'Event'>, void> {
  const path = storeId ? `/api/stores/${encodeURIComponent(storeId)}/events` : '/api/v1/events';
  let cursor = after;
  let failures = 0;
  while (!signal?.aborted) {
    const query = new URLSearchParams({ wait: String(wait), limit: '200' });
    if (cursor) query.set('after', cursor);
    else if (since) query.set('since', since);
    if (types?.length) query.set('type', types.join());
    const requestedAt = Date.now();
    let page: Page;
    try {
      page = await read(client, `${path}?${query}`, signal);
      failures = 0;
    } catch (error) {
      if (signal?.aborted) return;
      if (!isTransient(error)) throw error;
      onInterrupted?.(error);
      const waitMs = Math.min(waitMsAfter(failures++), longestPauseMs);
      await pause(Math.max(waitMs, error.retryAfterMs ?? 0), signal);
      continue;
    }
    yield* page.events;
    cursor = page.nextCursor ?? cursor;
    if (page.events.length === 0 && Date.now() - requestedAt < minHoldMs) await pause(minHoldMs, signal);
  }
}

interface Page {
  events: Model<'Event'>[];
  nextCursor: string | null;
}

async function read(client: Pick<Client, 'fetch'>, path: string, signal?: AbortSignal): Promise<Page> {
  const answer = await client.fetch(path, { signal: signal ?? null });
  try {
    return (await answer.json()) as Page;
  } catch (cause) {
    throw new WaybillError('unreachable', 'The answer broke off.', { cause });
  }
}

/** Whether the error is a missing answer or a temporary failure. */
const isTransient = (error: unknown): error is WaybillError =>
  isWaybillError(error) && (error.status === 0 || error.status === 429 || error.status >= 500);
