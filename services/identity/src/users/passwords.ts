import { hash, verify } from '@node-rs/argon2';
import { errors } from '../errors.ts';

/** OWASP's parameters for Argon2id, which is the library's default: 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Keyboards differ in how they compose the same letter (NIST SP 800-63B, 3.1.1.2). */
const composed = (password: string) => password.normalize('NFKC');

/** The hash of a password in PHC form, `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export const hashPassword = (password: string): Promise<string> => hash(composed(password), parameters);

/** The hash of no password: comparing with it costs what any comparison costs. */
export const hashOfNobody = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Whether the password is the one that was hashed; the comparison's time tells nothing. */
export const verifyPassword = (password: string, phc: string): Promise<boolean> =>
  verify(phc, composed(password));

/** Runs work, so many pieces at once; `network` is whose turn it takes, `isSuspect` whether others go first. */
export type Slots = <Result>(
  network: string,
  work: () => Promise<Result>,
  isSuspect?: boolean,
) => Promise<Result>;

/** Of so many turns in a row one goes to suspects, so that they are held up and not kept out. */
const turnsOfSuspects = 4;

/** Who waits, by network; the one whose turn is next comes first. */
type Lane = Map<string, PromiseWithResolvers<void>[]>;

/**
 * Hashing takes much memory and a thread for long: `atOnce` pieces of work run, up to `waiting` wait, and what
 * comes on top is refused with `resource_unavailable`. Networks take turns, and where there is no room left it is the
 * one with most waiting that gives way, a suspect one before the others: so none can keep the others out. Suspects have
 * a lane of their own, which gets one turn of four.
 */
export function createSlots({ atOnce, waiting }: { atOnce: number; waiting: number }): Slots {
  let free = atOnce;
  let length = 0;
  let turns = 0;
  const others: Lane = new Map();
  const suspects: Lane = new Map();

  function enqueue(lane: Lane, network: string): Promise<void> {
    const own = lane.get(network) ?? [];
    if (length >= waiting) makeRoom(lane, own);
    const turn = Promise.withResolvers<void>();
    own.push(turn);
    lane.set(network, own);
    length++;
    return turn.promise;
  }

  /** Refuses the newest of the network that has most waiting; throws where that is the newcomer's own. */
  function makeRoom(lane: Lane, own: readonly unknown[]): void {
    const refusal = errors.resource_unavailable({ headers: { 'retry-after': '2' } });
    const from = suspects.size > 0 ? suspects : others;
    const [network, queue] = [...from].reduce((most, each) =>
      each[1].length > most[1].length ? each : most,
    );
    const goesFirst = lane === others && from === suspects;
    if (!goesFirst && queue.length <= own.length + 1) throw refusal;
    queue.pop()!.reject(refusal);
    if (queue.length === 0) from.delete(network);
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
    const [network, queue] = next;
    const turn = queue.shift()!;
    length--;
    // To the end: the others come first now.
    lane.delete(network);
    if (queue.length > 0) lane.set(network, queue);
    turn.resolve();
  }

  return async (network, work, isSuspect = false) => {
    if (free > 0) free--;
    else await enqueue(isSuspect ? suspects : others, network);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
