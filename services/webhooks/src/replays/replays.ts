import { idPattern, newId, type Principal, type Problem } from '@waybill/contracts';
import { defineCursors, invalidInstantMessage, parseInstant } from '@waybill/kernel';
import type { Kysely, Transaction } from 'kysely';
import Type from 'typebox';
import type { Context, Write } from '../context.ts';
import { endpointName } from '../endpoints/endpoints.ts';
import { findEndpoint, lockEndpoint } from '../endpoints/queries.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import {
  cancelReplayCalls,
  countRunning,
  endReplay,
  findReplay,
  insertReplay,
  listReplays,
  type ReplayRow,
} from './queries.ts';
import type { Replay, ReplayInput } from './routes.ts';

/** Maximum number of replays of an endpoint that run at the same time. */
const maxRunning = 5;
const defaultStatuses = ['dead', 'cancelled', 'never'] as const;

/**
 * Starts to call an endpoint again for events that it has missed: `decisions.md 12.3`.
 * @throws not_found, invalid_body, invalid_state when the endpoint is disabled, or too many replays of it run
 */
export async function startReplay(
  { trx, audit, afterCommit }: Write,
  { wakeTask }: Pick<Context, 'wakeTask'>,
  storeId: string,
  principal: Principal,
  endpointId: string,
  input: ReplayInput,
): Promise<Replay> {
  const now = new Date();
  const { since, until = now } = readRange(input);
  const endpoint = await lockEndpoint(trx, storeId, principal, endpointId);
  if (!endpoint) throw errors.not_found();
  if (endpoint.status === 'disabled') throw errors.invalid_state({ message: 'The webhook is disabled.' });
  if ((await countRunning(trx, storeId, endpointId)) >= maxRunning) {
    throw errors.invalid_state({ message: `${maxRunning} replays of this webhook are already running.` });
  }
  const row = await insertReplay(trx, storeId, {
    id: newId('webhookReplay'),
    endpoint_id: endpointId,
    since,
    // Later events are delivered anyway.
    until: until < now ? until : now,
    types: [...new Set(input.types ?? endpoint.events)],
    statuses: [...new Set(input.statuses ?? defaultStatuses)],
    reached_at: since,
  });
  await audit(storeId, 'webhook.replayStarted', { id: endpointId, name: endpointName(endpoint.url) });
  afterCommit(() => wakeTask('replay'));
  return toReplay(row);
}

/** Returns what is wrong with the instants of a replay. An empty one counts as absent (`decisions.md 19.5`). */
export function findRangeProblems({ since, until }: Partial<ReplayInput>): Problem[] {
  const problems: Problem[] = [];
  if (since === '') problems.push({ pointer: '/since', message: 'is required' });
  for (const [name, text] of Object.entries({ since, until }))
    if (text && !parseInstant(text)) problems.push({ pointer: `/${name}`, message: invalidInstantMessage });
  return problems;
}

function readRange({ since, until }: ReplayInput): { since: Date; until: Date | undefined } {
  const problems = findRangeProblems({ since, until });
  if (problems.length > 0) throw errors.invalid_body({ details: problems });
  return { since: parseInstant(since)!, until: until ? parseInstant(until)! : undefined };
}

const cursors = defineCursors('webhook-replays', Type.String({ pattern: idPattern('webhookReplay') }));

/**
 * Returns a page of an endpoint's replays, newest first.
 * @throws not_found, invalid_cursor
 */
export async function listReplayPage(
  db: Kysely<Tables>,
  storeId: string,
  principal: Principal,
  endpointId: string,
  { limit, after }: { limit: number; after?: string },
) {
  await requireEndpoint(db, storeId, principal, endpointId);
  const scope = [storeId, endpointId];
  // Read one more row than requested, to tell whether another page follows.
  const page = { limit: limit + 1, after: cursors.read(scope, after) };
  const { rows, total } = await listReplays(db, storeId, endpointId, page);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1)! : null;
  return { replays: shown.map(toReplay), total, nextCursor: last && cursors.at(scope, last.id) };
}

/**
 * Returns a replay with its progress.
 * @throws not_found
 */
export async function getReplay(
  db: Kysely<Tables>,
  storeId: string,
  principal: Principal,
  endpointId: string,
  id: string,
): Promise<Replay> {
  await requireEndpoint(db, storeId, principal, endpointId);
  const row = await findReplay(db, storeId, endpointId, id);
  if (!row) throw errors.not_found();
  return toReplay(row);
}

/**
 * Ends a replay that has not ended. Its waiting calls are cancelled, and those in flight are not retried
 * (`decisions.md 12.3`).
 * @throws not_found
 */
export async function stopReplay(
  trx: Transaction<Tables>,
  storeId: string,
  principal: Principal,
  endpointId: string,
  id: string,
): Promise<void> {
  await getReplay(trx, storeId, principal, endpointId, id);
  // Update the replay's row first: a turn that makes calls at this moment is over then, and none follows.
  if (await endReplay(trx, storeId, id, 'cancelled')) await cancelReplayCalls(trx, storeId, id);
}

async function requireEndpoint(db: Kysely<Tables>, storeId: string, principal: Principal, id: string) {
  if (!(await findEndpoint(db, storeId, principal, id))) throw errors.not_found();
}

function toReplay(row: ReplayRow): Replay {
  return {
    id: row.id,
    state: row.state,
    matched: row.matched,
    sent: row.sent,
    since: row.since.toISOString(),
    until: row.until.toISOString(),
    types: row.types,
    statuses: row.statuses,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
}
