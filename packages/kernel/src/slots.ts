import { errors } from '@waybill/contracts';

/** Runs work, so many pieces at once; `whose` turn it takes, and `isSuspect` whether others go first. */
export type Slots = <Result>(
  whose: string,
  work: () => Promise<Result>,
  isSuspect?: boolean,
) => Promise<Result>;

/** Of so many turns in a row one goes to suspects, so that they are held up and not kept out. */
const turnsOfSuspects = 4;

/** Who waits; those whose turn is next come first. */
type Lane = Map<string, PromiseWithResolvers<void>[]>;

/**
 * For work that takes much of a thread or of memory: `atOnce` pieces of it run, up to `waiting` wait, and what comes on top
 * is refused with `resource_unavailable`. Those who ask take turns, and where there is no room left it is the one with most
 * waiting that gives way, a suspect one before the others: so none can keep the others out. Suspects have a lane of their
 * own, which gets one turn of four.
 */
export function createSlots({ atOnce, waiting }: { atOnce: number; waiting: number }): Slots {
  let free = atOnce;
  let length = 0;
  let turns = 0;
  const others: Lane = new Map();
  const suspects: Lane = new Map();

  function enqueue(lane: Lane, whose: string): Promise<void> {
    const own = lane.get(whose) ?? [];
    if (length >= waiting) makeRoom(lane, own);
    const turn = Promise.withResolvers<void>();
    own.push(turn);
    lane.set(whose, own);
    length++;
    return turn.promise;
  }

  /** Refuses the newest of those who have most waiting; throws where that is the newcomer. */
  function makeRoom(lane: Lane, own: readonly unknown[]): void {
    const refusal = errors.resource_unavailable({ headers: { 'retry-after': '2' } });
    const from = suspects.size > 0 ? suspects : others;
    const [whose, queue] = [...from].reduce((most, each) => (each[1].length > most[1].length ? each : most));
    const goesFirst = lane === others && from === suspects;
    if (!goesFirst && queue.length <= own.length + 1) throw refusal;
    queue.pop()!.reject(refusal);
    if (queue.length === 0) from.delete(whose);
    length--;
  }

  function leave(): void {
    const isSuspectsTurn = ++turns % turnsOfSuspects === 0;
    const lane = (isSuspectsTurn && suspects.size > 0) || others.size === 0 ? suspects : others;
    const [next] = lane;
    if (!next) {
      free++;
      return;
    }
    const [whose, queue] = next;
    const turn = queue.shift()!;
    length--;
    // To the end: the others come first now.
    lane.delete(whose);
    if (queue.length > 0) lane.set(whose, queue);
    turn.resolve();
  }

  return async (whose, work, isSuspect = false) => {
    if (free > 0) free--;
    else await enqueue(isSuspect ? suspects : others, whose);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
