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

/** Returns the current actor: `system` unless a request is being answered for somebody. */
export const acting = (): Acting => current.getStore() ?? systemActor;

/** Runs work that a request may trigger and that still is nobody's act. */
export const asSystem = <Result>(work: () => Result): Result => current.run(systemActor, work);

/** Runs work with an actor. */
export const actAs = <Result>(actor: Acting, work: () => Result): Result => current.run(actor, work);
