import { idPrefixes } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import { prepareHideFields } from '../bodies/app-fields.ts';
import { orderedResource } from '../bodies/public-event.ts';
import type { Context } from '../context.ts';
import { findRights } from '../endpoints/rights.ts';
import { toFilteredEvent } from '../filters/select.ts';
import { lockOrderedEndpoints } from '../schedule/queries.ts';
import type { Tables } from '../tables.ts';
import {
  claimReplayTurn,
  countMatching,
  countUnsettled,
  endReplay,
  findReplayTarget,
  listNextBodies,
  postponeReplay,
  type ReplayRow,
  type ReplayTarget,
  sendMatching,
} from './queries.ts';

/** A replay makes no more calls while this many are in flight, or this many of its own wait for a retry. */
const limits = { inFlight: 500, unsettled: 100 };
/** How long a replay that cannot continue is postponed, unless one of its calls ends earlier. */
const pauseSeconds = 5;

interface Turn {
  id: string;
  sent: number;
  /** Whether there is more to do at once. */
  canContinue: boolean;
}

/**
 * Gives each replay that can continue a turn. Returns true when one of them can continue at once. The deliveries of a
 * turn and the new position are one commit, so after a kill the dispatcher makes the calls and the replay continues
 * from there. Replays use only a part of an endpoint's window and of the calls that this process has in flight, so that
 * nothing else waits for them.
 */
export async function runReplays(context: Context): Promise<boolean> {
  const { replaysWithEndedCalls } = context.state;
  const turns: Turn[] = [];
  while (context.state.windows.countInFlight() < limits.inFlight) {
    const preferred = [...replaysWithEndedCalls];
    const turn = await context.transaction((trx) => runTurn(context, trx, preferred));
    if (turn === null) {
      // The remaining replays have ended, or another replica works on them.
      for (const id of preferred) replaysWithEndedCalls.delete(id);
      break;
    }
    replaysWithEndedCalls.delete(turn.id);
    const isSecond = turns.some(({ id }) => id === turn.id);
    turns.push(turn);
    if (isSecond) break;
  }
  if (turns.some(({ sent }) => sent > 0)) context.wakeTask('dispatch');
  return turns.some(({ canContinue }) => canContinue);
}

async function runTurn(
  context: Context,
  trx: Transaction<Tables>,
  preferred: readonly string[],
): Promise<Turn | null> {
  const replay = await claimReplayTurn(trx, preferred);
  if (!replay) return null;
  const { store_id: storeId, id, endpoint_id: endpointId } = replay;
  const target = await findReplayTarget(trx, storeId, endpointId);
  const appId = target?.appId ?? null;
  const rights = (await findRights(context, [{ storeId, id: appId }]))(storeId, appId);
  const turn: Turn = { id, sent: 0, canContinue: false };
  if (!target || target.status === 'disabled' || rights === null) {
    await endReplay(trx, storeId, id, 'cancelled');
  } else if (!replay.is_counted) {
    const { excluded } = await filterNextEvents(context, trx, replay, target);
    await countMatching(trx, storeId, id, excluded);
    turn.canContinue = true;
  } else {
    const { unsettled, notMade } = await countUnsettled(trx, storeId, id, limits.unsettled);
    const share = context.state.windows.capacityForReplays(endpointId) - notMade;
    const capacity = Math.min(share, limits.unsettled - unsettled);
    if (capacity <= 0) {
      await postponeReplay(trx, storeId, id, pauseSeconds);
      return turn;
    }
    if (target.ordering) await lockOrderedEndpoints(trx, [endpointId]);
    const next = await filterNextEvents(context, trx, replay, target);
    const { sent, isEnd } = await sendMatching(trx, storeId, id, capacity, next);
    if (isEnd && sent + notMade === 0) await endReplay(trx, storeId, id, 'done');
    turn.sent = sent;
    // If calls were sent, the end of one of them wakes the next turn.
    turn.canContinue = sent === 0 && !isEnd;
  }
  return turn;
}

/**
 * Judges the next events by the endpoint's filter, and finds the objects they are about if its calls are ordered.
 * `excluded` is null when there is no filter (`decisions.md 24.1`).
 */
async function filterNextEvents(
  context: Context,
  trx: Transaction<Tables>,
  replay: ReplayRow,
  { filter, ordering, ownerId }: ReplayTarget,
): Promise<{ excluded: string[] | null; resources: Map<string, string> }> {
  if (!filter && !ordering) return { excluded: null, resources: new Map() };
  const storeId = replay.store_id;
  const rights = filter && (await findRights(context, [{ storeId, id: ownerId }]))(storeId, ownerId);
  const events = await listNextBodies(trx, storeId, replay.id);
  const appId = ownerId?.startsWith(`${idPrefixes.app}_`) ? ownerId : null;
  const hideFields = await prepareHideFields(
    context,
    storeId,
    filter && appId,
    events.map(({ body }) => body),
  );
  const excluded = events.filter(
    ({ type, body }) => !toFilteredEvent(type, hideFields(type, body)).matches(filter, rights),
  );
  const resources = events.flatMap(({ id, type, body }) => {
    const resource = ordering ? orderedResource(type, JSON.stringify(JSON.parse(body).data)) : null;
    return resource === null ? [] : [[id, resource] as const];
  });
  return { excluded: filter && excluded.map(({ id }) => id), resources: new Map(resources) };
}
