import { AsyncLocalStorage } from 'node:async_hooks';

/** The actor of a change, with data about the request. */
export interface Acting {
  type: 'user' | 'key' | 'app' | 'system';
  /** The id of a user, a key or an app; otherwise `system`. */
  id: string;
  ip: string | null;
  requestId: string | null;
}

export const systemActor: Acting = { type: 'system', id: 'system', ip: null, requestId: null };
const current = new AsyncLocalStorage<Acting>();

/** Returns the current actor: the sender of the request that is being answered, otherwise `system`. */
export const acting = (): Acting => current.getStore() ?? systemActor;

/** Runs work as the system, because it is no action of the user whose request triggers it. */
export const asSystem = <Result>(work: () => Result): Result => current.run(systemActor, work);

/** Runs work with an actor. */
export const actAs = <Result>(actor: Acting, work: () => Result): Result => current.run(actor, work);
