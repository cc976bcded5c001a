import { AsyncLocalStorage } from 'node:async_hooks';
import type { Principal } from '@waybill/contracts';
import { addressHeader, requestIdHeader } from '../http/principal.ts';
import type { RouteRequest } from '../http/route.ts';

/** Who acts, and what is known of the request. */
export interface Acting {
  type: 'user' | 'key' | 'app' | 'system';
  /** Of a user, a key or an app; `system` otherwise. */
  id: string;
  ip: string | null;
  requestId: string | null;
}

const system: Acting = { type: 'system', id: 'system', ip: null, requestId: null };
const current = new AsyncLocalStorage<Acting>();

/** Longer than any address, and as long as the gateway lets the id of a request be. */
const mostCharacters = 128;

/** Who is acting: `system` unless a request is being answered for somebody. */
export const acting = (): Acting => current.getStore() ?? system;

/** Runs work that a request may set going, and that is nobody's act all the same. */
export const asSystem = <Result>(work: () => Result): Result => current.run(system, work);

/** Answers a request: what it changes is the act of its principal. */
export function actingBy<Result>(
  { principal, headers }: Pick<RouteRequest, 'headers'> & { principal: Principal | null },
  work: () => Result,
): Result {
  const text = (header: string) => {
    const value = headers[header];
    return typeof value === 'string' ? value.slice(0, mostCharacters) : null;
  };
  return current.run({ ...idOf(principal), ip: text(addressHeader), requestId: text(requestIdHeader) }, work);
}

function idOf(principal: Principal | null): Pick<Acting, 'type' | 'id'> {
  if (principal?.kind === 'user') return { type: 'user', id: principal.userId };
  if (principal?.kind === 'apiKey') return { type: 'key', id: principal.keyId };
  if (principal?.kind === 'app') return { type: 'app', id: principal.appId };
  return system;
}
