import type { Principal } from '@waybill/contracts';
import { type Actor, runAsActor, systemActor } from '../operations/actor.ts';
import { addressHeader, requestIdHeader } from './principal.ts';
import type { RouteRequest } from './route.ts';

/** Longer than any address, and as long as the gateway allows the id of a request to be. */
const maxCharacters = 128;

/** Runs the work of a request, with its principal as the actor of all changes. */
export function runAsPrincipal<Result>(
  { principal, headers }: Pick<RouteRequest, 'headers'> & { principal: Principal | null },
  work: () => Result,
): Result {
  const text = (header: string) => {
    const value = headers[header];
    return typeof value === 'string' ? value.slice(0, maxCharacters) : null;
  };
  return runAsActor(
    { ...identifyActor(principal), ip: text(addressHeader), requestId: text(requestIdHeader) },
    work,
  );
}

function identifyActor(principal: Principal | null): Pick<Actor, 'type' | 'id'> {
  if (principal?.kind === 'user') return { type: 'user', id: principal.userId };
  if (principal?.kind === 'apiKey') return { type: 'key', id: principal.keyId };
  if (principal?.kind === 'app') return { type: 'app', id: principal.appId };
  return systemActor;
}
