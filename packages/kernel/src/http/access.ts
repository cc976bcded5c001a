import {
  errors,
  holdsPermission,
  listPermissions,
  managesStore,
  type Principal,
  rolePermissions,
} from '@waybill/contracts';
import { type Caller, findCaller } from '../operations/keys.ts';
import { internalRequests } from '../operations/metrics.ts';
import { appRefusal, roleRefusal, scopeRefusal } from './refusals.ts';
import type { Access } from './route.ts';

/** Throws unless the principal may call the route: the credential's scopes first, then the role. */
export function checkAccess(
  access: Exclude<Access, 'service'>,
  principal: Principal | null,
  params: Record<string, string>,
): void {
  if (access === 'public') return;
  if (!principal) throw errors.missing_credential();
  if (access === 'user') {
    if (principal.kind !== 'user') throw errors.user_token_required();
  } else if (access === 'credential') {
    if (principal.kind === 'user') throw errors.api_key_required();
    if (listPermissions(principal).length === 0) throw errors.insufficient_scope();
  } else if ('scope' in access) {
    if (!holdsPermission(principal, access.scope)) throw scopeRefusal(principal, access.scope);
  } else if ('app' in access) {
    const isAllowed =
      principal.kind === 'app' &&
      (principal.isUninstalled ? access.isForUninstalled : holdsPermission(principal, access.app));
    if (!isAllowed) throw appRefusal(principal, access.app);
  } else {
    if (principal.kind !== 'user') throw errors.user_token_required();
    if (!principal.role || principal.storeId !== params.storeId) throw errors.not_found();
    const { member } = access;
    if (member === 'any') return;
    const isAllowed =
      member === 'manager' ? managesStore(principal.role) : rolePermissions[principal.role].includes(member);
    if (!isAllowed) throw roleRefusal(principal.role, member);
  }
}

/** Throws unless the caller may use internal routes, and counts its requests. `decisions.md 18.1`. */
export function admitCaller(
  callers: readonly Caller[],
  service: string,
  authorization: string | undefined,
): void {
  const caller = findCaller(callers, authorization);
  if (caller === null) throw errors.missing_credential();
  internalRequests.inc({ service, caller });
}
