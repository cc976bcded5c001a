import { AsyncLocalStorage } from 'node:async_hooks';

/** Who acts, and what is known of the request. */
export interface Acting {
  type: 'user' | 'key' | 'app' | 'system';
  /** Of a user, a key or an app; `system` otherwise. */
  id: string;
  ip: string | null;
  requestId: string | null;
}

export const systemActor: Acting = { type: 'system', id: 'system', ip: null, requestId: null };
const current = new AsyncLocalStorage<Acting>();

/** Who is acting: `system` unless a request is being answered for somebody. */
export const acting = (): Acting => current.getStore() ?? systemActor;

/** Runs work that a request may set going, and that is nobody's act all the same. */
export const asSystem = <Result>(work: () => Result): Result => current.run(systemActor, work);

/** Runs work as the act of somebody. */
export const actAs = <Result>(actor: Acting, work: () => Result): Result => current.run(actor, work);
