import { AsyncLocalStorage } from 'node:async_hooks';

/** The actor of a change, with data about the request. */
export interface Actor {
  type: 'user' | 'key' | 'app' | 'system';
  /** The id of a user, a key or an app; otherwise `system`. */
  id: string;
  ip: string | null;
  requestId: string | null;
}

export const systemActor: Actor = { type: 'system', id: 'system', ip: null, requestId: null };
const actorStorage = new AsyncLocalStorage<Actor>();

/** Returns the current actor: the sender of the request that is being answered, otherwise `system`. */
export const currentActor = (): Actor => actorStorage.getStore() ?? systemActor;

/** Runs work as the system, because it is no action of the user whose request triggers it. */
export const runAsSystem = <Result>(work: () => Result): Result => actorStorage.run(systemActor, work);

/** Runs work with an actor. */
export const runAsActor = <Result>(actor: Actor, work: () => Result): Result => actorStorage.run(actor, work);
