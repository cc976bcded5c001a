import {
  ApiError,
  type ErrorExtras,
  errors,
  type IdKind,
  kindNames,
  type Permission,
  type Principal,
  type Role,
  rolePermissions,
  roles,
} from '@waybill/contracts';
import type { RouteDefinition } from './route.ts';

type Bearer = Extract<Principal, { kind: 'apiKey' | 'app' }>;

/**
 * Returns the refusal of a credential without a permission. It names the permission and who can grant it. `decisions.md
 * 1.15`.
 */
export function scopeRefusal(principal: Principal, permission: Permission): ApiError {
  const requirement = `This needs the permission ${permission}`;
  const message =
    principal.kind === 'user' ? requirement : `${requirement}, ${describeRemedy(principal, permission)}`;
  return errors.insufficient_scope({ message: `${message}.`, fields: { permission } });
}

function describeRemedy(principal: Bearer, permission: Permission): string {
  if (principal.kind === 'app')
    return (
      'which the merchant has not granted to this app: a version of the app has to ask for it, and the merchant ' +
      'to agree'
    );
  return principal.scopes.includes(permission)
    ? 'which this API key has and its maker no longer: an admin of the store can give its maker a role that has it, ' +
        'or make a key'
    : 'which this API key lacks: an admin of the store can make a key with it';
}

/** Returns the refusal of an API key by a route that only apps may call. */
export function appRefusal(principal: Principal, permission: Permission): ApiError {
  if (principal.kind === 'app') return scopeRefusal(principal, permission);
  const message =
    `This needs an app's token with the permission ${permission}: what it reaches is the app's own, and no API ` +
    'key reaches it.';
  return errors.insufficient_scope({ message, fields: { permission } });
}

/** Returns the refusal of a member whose role is insufficient; `manager` means the roles that manage a store. */
export function roleRefusal(role: Role, needed: Permission | 'manager'): ApiError {
  const allowedRoles = roles.filter((each) =>
    needed === 'manager' ? each === 'admin' || each === 'owner' : rolePermissions[each].includes(needed),
  );
  const what =
    needed === 'manager' ? 'This is for those who manage the store' : `This needs the permission ${needed}`;
  const remedy = `it takes ${joinWords(allowedRoles, 'or')}, which an admin of the store can give you`;
  const message = `${what}. Your role is ${role}; ${remedy}.`;
  return errors.insufficient_role({
    message,
    ...(needed !== 'manager' && { fields: { permission: needed } }),
  });
}

const defaultMessage = errors.not_found().message;

/**
 * Returns the message for a `not_found` without one of its own. It names the kinds of things in the route's path, but
 * not which of several is missing. Null if the path names none. `decisions.md 1.15`.
 */
export function notFoundMessage({ ids = {} }: Pick<RouteDefinition, 'ids'>): string | null {
  const named = [...new Set(Object.values(ids))];
  const inside = named.filter((kind) => kind !== 'store' && kind !== 'organisation');
  const kinds = (inside.length > 0 ? inside : named).map((kind: IdKind) => kindNames[kind]);
  return kinds.length === 0 ? null : `This ${joinWords(kinds, 'or')} does not exist.`;
}

/** Adds the route's message to a `not_found` without one of its own; returns any other error unchanged. */
export function withNotFoundMessage(error: unknown, message: string | null): unknown {
  if (message === null || !(error instanceof ApiError)) return error;
  if (error.code !== 'not_found' || error.message !== defaultMessage) return error;
  const { details, fields, headers } = error;
  return errors.not_found({ message, fields, headers, ...(details && { details }) } satisfies ErrorExtras);
}

/** Returns a list as a sentence has it: `editor, admin or owner`. */
export function joinWords(names: readonly string[], last: 'or' | 'and'): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;
}
