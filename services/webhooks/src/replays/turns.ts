import type { Transaction } from 'kysely';
import { findRights } from '../endpoints/rights.ts';
import type { Context } from '../state.ts';
import type { Tables } from '../tables.ts';
import {
  countMatching,
  countUnsettled,
  endReplay,
  findCallee,
  putOff,
  sendMatching,
  takeTurn,
} from './queries.ts';

/** While so many calls are in flight, or so many of a replay wait for a retry, no more are made. */
const most = { inFlight: 500, unsettled: 100 };
/** For how long one that cannot go on is left alone, unless one of its calls ends. */
const pauseSeconds = 5;

interface Turn {
  id: string;
  sent: number;
  /** Whether there is more to do at once. */
  goesOn: boolean;
}

/**
 * Gives every replay that may go on a turn; true when one of them can go on at once. What is made in a turn is committed with
 * the place that was reached: after a kill the dispatcher makes the calls, and the replay goes on from there. Replays
 * take a part of an endpoint's window, and of what this process has in flight, so that nothing else waits for them.
 */
export async function runReplays(context: Context): Promise<boolean> {
  const { endedCallsOf } = context.state;
  const turns: Turn[] = [];
  while (context.state.windows.countInFlight() < most.inFlight) {
    const awaited = [...endedCallsOf];
    const turn = await context.transaction((trx) => takeOneTurn(context, trx, awaited));
    if (turn === null) {
      // What is left has ended, or another copy is at it.
      for (const id of awaited) endedCallsOf.delete(id);
      break;
    }
    endedCallsOf.delete(turn.id);
    const isSecond = turns.some(({ id }) => id === turn.id);
    turns.push(turn);
    if (isSecond) break;
  }
  if (turns.some(({ sent }) => sent > 0)) context.wake('dispatch');
  return turns.some(({ goesOn }) => goesOn);
}

async function takeOneTurn(
  context: Context,
  trx: Transaction<Tables>,
  awaited: readonly string[],
): Promise<Turn | null> {
  const replay = await takeTurn(trx, awaited);
  if (!replay) return null;
  const { store_id: storeId, id, endpoint_id: endpointId } = replay;
  const callee = await findCallee(trx, storeId, endpointId);
  const appId = callee?.appId ?? null;
  const rights = (await findRights(context, [{ storeId, id: appId }]))(storeId, appId);
  const turn: Turn = { id, sent: 0, goesOn: false };
  if (!callee || callee.status === 'disabled' || rights === null) {
    await endReplay(trx, storeId, id, 'cancelled');
  } else if (!replay.is_counted) {
    await countMatching(trx, storeId, id);
    turn.goesOn = true;
  } else {
    const { unsettled, notMade } = await countUnsettled(trx, storeId, id, most.unsettled);
    const share = context.state.windows.roomForReplays(endpointId) - notMade;
    const room = Math.min(share, most.unsettled - unsettled);
    if (room <= 0) {
      await putOff(trx, storeId, id, pauseSeconds);
      return turn;
    }
    const { sent, isEnd } = await sendMatching(trx, storeId, id, room);
    if (isEnd && sent + notMade === 0) await endReplay(trx, storeId, id, 'done');
    turn.sent = sent;
    // Where something was sent, its end wakes the next turn.
    turn.goesOn = sent === 0 && !isEnd;
  }
  return turn;
}
