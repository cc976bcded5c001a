import { managesStore, type Permission, permissions, type Role, rolePermissions } from './permissions.ts';

/**
 * Who makes a request, as the gateway found out and signs it for the services.
 * - `apiKey` and `app`: the bearer of a `wbk_` key or a `wba_` token; acts on exactly one store.
 * - `user`: a signed-in person; below `/api/stores/{storeId}` with the role held in that store, elsewhere with what
 *   it is on the platform: a reviewer of apps, or not.
 */
export type Principal =
  | {
      kind: 'apiKey';
      storeId: string;
      keyId: string;
      scopes: Permission[];
      /** What the key's creator may do in the store at present; empty for a removed member. */
      creatorPermissions: readonly Permission[];
    }
  | {
      kind: 'app';
      storeId: string;
      appId: string;
      installId: string;
      /** Empty for an uninstalled app. */
      scopes: Permission[];
      /** The app is uninstalled: it reports on its open payment sessions, and does nothing else. `decisions.md 22.1`. */
      isUninstalled?: true;
    }
  | {
      kind: 'user';
      userId: string;
      email: string;
      storeId?: string;
      role?: Role;
      isReviewer?: boolean;
      /** Of where no store is: by which session the user asks. */
      sessionId?: string;
    };

/** The two gates of `store-api.md 5.2`: the credential's own scopes first, then the creator's role. */
export function holdsPermission(principal: Principal, permission: Permission): boolean {
  if (principal.kind === 'user' || !principal.scopes.includes(permission)) return false;
  return principal.kind === 'app' || principal.creatorPermissions.includes(permission);
}

/** What a principal may do in its store at this moment: of a key what both of its gates let through. */
export function permissionsOf(principal: Principal): readonly Permission[] {
  if (principal.kind === 'user') return principal.role ? rolePermissions[principal.role] : [];
  return principal.scopes.filter((scope) => holdsPermission(principal, scope));
}

/** Whether somebody has a role that manages the store; of a key, whether its creator has. An app has no role. */
export function managesByRole(principal: Principal): boolean {
  if (principal.kind === 'user') return principal.role !== undefined && managesStore(principal.role);
  if (principal.kind === 'app') return false;
  return permissions.every((permission) => principal.creatorPermissions.includes(permission));
}
