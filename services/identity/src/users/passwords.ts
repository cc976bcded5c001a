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

/** Runs work, so many pieces at once; `network` is whose turn it takes. */
export type Slots = <Result>(network: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * Hashing takes much memory and a thread for long: `atOnce` pieces of work run, up to `waiting` wait, and what
 * comes on top is refused with `resource_unavailable`. Networks take turns, and where there is no room left it is the
 * one with most waiting that gives way: so none can keep the others out.
 */
export function createSlots({ atOnce, waiting }: { atOnce: number; waiting: number }): Slots {
  let free = atOnce;
  let length = 0;
  /** Who waits, by network; the one whose turn is next comes first. */
  const queues = new Map<string, PromiseWithResolvers<void>[]>();

  function enqueue(network: string): Promise<void> {
    const own = queues.get(network) ?? [];
    if (length >= waiting) makeRoom(own);
    const turn = Promise.withResolvers<void>();
    own.push(turn);
    queues.set(network, own);
    length++;
    return turn.promise;
  }

  /** Refuses the newest of the network that has most waiting; throws where that is the newcomer's own. */
  function makeRoom(own: readonly unknown[]): void {
    let longest: PromiseWithResolvers<void>[] = [];
    for (const queue of queues.values()) if (queue.length > longest.length) longest = queue;
    const refusal = errors.resource_unavailable({ headers: { 'retry-after': '2' } });
    if (longest.length <= own.length + 1) throw refusal;
    longest.pop()!.reject(refusal);
    length--;
  }

  function leave(): void {
    const [next] = queues;
    if (!next) {
      free++;
      return;
    }
    const [network, queue] = next;
    const turn = queue.shift()!;
    length--;
    // To the end: the others come first now.
    queues.delete(network);
    if (queue.length > 0) queues.set(network, queue);
    turn.resolve();
  }

  return async (network, work) => {
    if (free > 0) free--;
    else await enqueue(network);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
