import { connectOriginProblem, type Problem } from '@waybill/contracts';
import { errors } from '../errors.ts';

/** Checks the origins that islands may connect to. Throws `invalid_body` (`decisions.md 14.4`). */
export function checkConnectOrigins(origins: readonly string[], allow: { loopback: boolean }): void {
  const details = origins.flatMap((origin, i): Problem[] => {
    const message = connectOriginProblem(origin, allow);
    return message === null ? [] : [{ pointer: `/connectOrigins/${i}`, message }];
  });
  if (details.length > 0) throw errors.invalid_body({ details });
}
