import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { errors } from '../errors.ts';

const derive = promisify(argon2);

/** OWASP's parameters for Argon2id: 19 MiB, two passes, one lane. */
const memoryKiB = 19_456;
const passes = 2;
const lanes = 1;
const tagBytes = 32;

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

/** The hash of a password in PHC form, `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await tagOf(password, { nonce: salt, memory: memoryKiB, passes, parallelism: lanes });
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}$${base64(salt)}$${base64(tag)}`;
}

/** The hash of no password: comparing with it costs what any comparison costs. */
export const hashOfNobody =
  `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}` +
  `$${base64(Buffer.alloc(16))}$${base64(Buffer.alloc(tagBytes))}`;

/** Whether the password is the one that was hashed; the comparison's time tells nothing. */
export async function verifyPassword(password: string, phc: string): Promise<boolean> {
  const [, m, t, p, salt, hash] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(phc)!;
  const tag = await tagOf(password, {
    nonce: Buffer.from(salt!, 'base64'),
    memory: Number(m),
    passes: Number(t),
    parallelism: Number(p),
  });
  return timingSafeEqual(tag, Buffer.from(hash!, 'base64'));
}

function tagOf(password: string, parameters: Omit<Argon2Parameters, 'message' | 'tagLength'>) {
  // Keyboards differ in how they compose the same letter (NIST SP 800-63B, 3.1.1.2).
  const message = password.normalize('NFKC');
  return derive('argon2id', { ...parameters, message, tagLength: tagBytes });
}

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
