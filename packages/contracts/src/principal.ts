import { managesStore, type Permission, permissions, type Role, rolePermissions } from './permissions.ts';

/**
 * The caller of a request, as the gateway identified it and signs it for the services.
 * - `apiKey` and `app`: the bearer of a `wbk_` key or a `wba_` token; acts on exactly one store.
 * - `user`: a signed-in person. Below `/api/stores/{storeId}` it has the role in that store, elsewhere the role on the
 *   platform: a reviewer of apps, or not.
 */
export type Principal =
  | {
      kind: 'apiKey';
      storeId: string;
      keyId: string;
      scopes: Permission[];
      /** The current permissions of the key's creator in the store; empty for a removed member. */
      creatorPermissions: readonly Permission[];
    }
  | {
      kind: 'app';
      storeId: string;
      appId: string;
      installId: string;
      /** Empty for an uninstalled app. */
      scopes: Permission[];
      /**
       * Set if the app is uninstalled: it reports on its open payment sessions, and does nothing else. `decisions.md
       * 22.1`.
       */
      isUninstalled?: true;
    }
  | {
      kind: 'user';
      userId: string;
      email: string;
      storeId?: string;
      role?: Role;
      isReviewer?: boolean;
      /** On routes without a store: the session of the user's request. */
      sessionId?: string;
    };

/**
 * Whether a principal passes the two checks of `store-api.md 5.2`: the credential's own scopes first, then the
 * creator's role.
 */
export function holdsPermission(principal: Principal, permission: Permission): boolean {
  if (principal.kind === 'user' || !principal.scopes.includes(permission)) return false;
  return principal.kind === 'app' || principal.creatorPermissions.includes(permission);
}

/** Returns the current permissions of a principal in its store; for a key, those that pass both checks. */
export function listPermissions(principal: Principal): readonly Permission[] {
  if (principal.kind === 'user') return principal.role ? rolePermissions[principal.role] : [];
  return principal.scopes.filter((scope) => holdsPermission(principal, scope));
}

/** Whether a principal has a role that manages the store; for a key, whether its creator has. An app has no role. */
export function managesByRole(principal: Principal): boolean {
  if (principal.kind === 'user') return principal.role !== undefined && managesStore(principal.role);
  if (principal.kind === 'app') return false;
  return permissions.every((permission) => principal.creatorPermissions.includes(permission));
}
