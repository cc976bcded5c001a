import { pause, waitMsAfter } from './attempts.ts';
import type { Client } from './client.ts';
import { isWaybillError, WaybillError } from './errors.ts';
import type { Model } from './models.ts';

export interface FollowOptions {
  /** The `id` of the last event that was dealt with: those after it come. */
  after?: string;
  /** Without `after`: where to begin (RFC 3339). Without either one begins at the oldest that is kept. */
  since?: string;
  types?: readonly string[];
  /** Ends the iteration. */
  signal?: AbortSignal;
  /** Of a user's token: the store. Keys and app tokens have theirs. */
  storeId?: string;
  /** How long the server holds an answer while there is nothing, in seconds; 0 to 30, default 25. */
  wait?: number;
  /** Told when the server is away, with what was thrown; it is asked again by itself. */
  onInterrupted?(error: unknown): void;
}

const longestPauseMs = 30_000;
/** An answer without events that came sooner was not held: the server has too many who wait. */
const heldMs = 1_000;

/**
 * Events as they happen, oldest first, from the log (`decisions.md 12.1`): each at least once, none skipped. Keep the
 * `id` of what was dealt with, and give it as `after` next time. A server that is away, or sheds, is asked again until
 * `signal` ends it; every other refusal is thrown, `cursor_expired` where `after` is older than what is kept.
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
    const askedAt = Date.now();
    let page: Page;
    try {
      page = await read(client, `${path}?${query}`, signal);
      failures = 0;
    } catch (error) {
      if (signal?.aborted) return;
      if (!isPassing(error)) throw error;
      onInterrupted?.(error);
      await pause(Math.min(waitMsAfter(failures++), longestPauseMs), signal);
      continue;
    }
    yield* page.events;
    cursor = page.nextCursor ?? cursor;
    if (page.events.length === 0 && Date.now() - askedAt < heldMs) await pause(heldMs, signal);
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

/** No answer, or one of those that pass. */
const isPassing = (error: unknown) =>
  isWaybillError(error) && (error.status === 0 || error.status === 429 || error.status >= 500);
