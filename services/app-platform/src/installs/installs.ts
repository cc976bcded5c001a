import { type BlockUse, InstallChanged, newId } from '@waybill/contracts';
import { emit } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { holdApp } from '../apps/queries.ts';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { issueCode } from '../oauth/codes.ts';
import { deleteCredentials } from '../oauth/queries.ts';
import type { Tables } from '../tables.ts';
import {
  findBlocks,
  findNewestApproved,
  findNewestKnownNumber,
  findVersionOfApp,
} from '../versions/queries.ts';
import {
  findInstall,
  type InstallChange,
  type InstallRow,
  insertInstall,
  lockInstall,
  updateInstall,
} from './queries.ts';
import type { InstallInput } from './routes.ts';

type Trx = Transaction<Tables>;

/**
 * Installs the newest approved version of an app; one that was uninstalled comes back with its data. With a redirect
 * address the answer leads there, with a code for the app's first tokens. `decisions.md 7.6`.
 * @throws not_found, already_installed, invalid_state, consent_required, invalid_body
 */
export async function installApp(
  { transaction, cache }: Context,
  storeId: string,
  appId: string,
  { scopes, redirectUri, state, codeChallenge }: InstallInput,
): Promise<{ row: InstallRow; redirectTo: string | null }> {
  const installed = await transaction(async (trx) => {
    const app = await holdApp(trx, appId);
    if (!app) throw errors.not_found();
    const current = await lockInstall(trx, storeId, appId);
    if (current && current.state !== 'uninstalled') throw errors.already_installed();
    const version = await findNewestApproved(trx, appId);
    if (!version || app.suspended_at) {
      throw errors.invalid_state({ message: 'No version of this app can be installed at present.' });
    }
    checkConsent(scopes, version.scopes);
    if (redirectUri !== undefined && !app.redirect_uris.includes(redirectUri)) {
      throw errors.invalid_body({
        details: [{ pointer: '/redirectUri', message: 'is not registered by this app' }],
      });
    }
    const id = current?.id ?? newId('install');
    const change = {
      version_id: version.id,
      granted_scopes: version.scopes,
      held_number: null,
      state: 'installed',
    } as const;
    if (current) await updateInstall(trx, storeId, id, change);
    else if (!(await insertInstall(trx, storeId, { ...change, id, app_id: appId }))) {
      throw errors.already_installed();
    }
    await emit(trx, InstallChanged, storeId, { appId, isAvailable: true, isUpgrade: false });
    const code =
      redirectUri === undefined ? null : await issueCode(trx, storeId, { id, redirectUri, codeChallenge });
    const row = (await findInstall(trx, storeId, appId))!;
    return { row, redirectTo: code && redirectTo(redirectUri!, code, state) };
  });
  await cache.bumpEpoch(storeId);
  return installed;
}

/** What the app has registered stays as it is written, its query too (RFC 6749, 3.1.2); a state comes back as sent. */
function redirectTo(redirectUri: string, code: string, state: string | undefined): string {
  const parameters = new URLSearchParams({ code, ...(state !== undefined && { state }) });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`;
}

/** A merchant agrees to what is asked for, to nothing less and nothing more. */
function checkConsent(given: readonly string[], asked: readonly string[]): void {
  if (includesAll(given, asked) && includesAll(asked, given)) return;
  throw errors.consent_required({ fields: { scopes: asked } });
}

/**
 * Runs a change of an install, one at a time, and tells the others what it comes to. `decide` gives what is to be
 * written, null for nothing. When that is committed, and before it is answered, the store's epoch moves on.
 */
async function changeInstall(
  { transaction, cache }: Context,
  storeId: string,
  appId: string,
  decide: (trx: Trx, install: InstallRow) => Promise<InstallChange | null>,
): Promise<InstallRow> {
  const { row, isChanged } = await transaction(async (trx) => {
    await holdApp(trx, appId);
    const locked = await lockInstall(trx, storeId, appId);
    const before = locked && (await findInstall(trx, storeId, appId));
    if (!before) throw errors.not_found();
    const change = await decide(trx, before);
    if (!change) return { row: before, isChanged: false };
    await updateInstall(trx, storeId, before.id, change);
    const row = (await findInstall(trx, storeId, appId))!;
    await emitChange(trx, before, row);
    return { row, isChanged: true };
  });
  if (isChanged) await cache.bumpEpoch(storeId);
  return row;
}

async function emitChange(trx: Trx, before: InstallRow, after: InstallRow): Promise<void> {
  const wasAvailable = before.shown_state === 'installed';
  const isAvailable = after.shown_state === 'installed';
  const isUpgrade = wasAvailable && isAvailable;
  if (!isUpgrade && wasAvailable === isAvailable) return;
  await emit(trx, InstallChanged, after.store_id, { appId: after.app_id, isAvailable, isUpgrade });
}

/**
 * Takes the version that waits. `decisions.md 7.6`.
 * @throws not_found, invalid_state, consent_required
 */
export function consentToVersion(
  context: Context,
  storeId: string,
  appId: string,
  scopes: string[],
): Promise<InstallRow> {
  return changeInstall(context, storeId, appId, async (trx, install) => {
    refuseUninstalled(install);
    const version = await findNewestApproved(trx, appId);
    if (!version || version.number <= install.version_number) {
      throw errors.invalid_state({ message: 'No version is waiting.' });
    }
    checkConsent(scopes, version.scopes);
    return { version_id: version.id, granted_scopes: version.scopes, held_number: null };
  });
}

/**
 * Goes back to an earlier approved version, and stays there: what is known now is not taken by itself again. A
 * version that asks for more than is granted wants a consent as an install does. `decisions.md 7.6`.
 * @throws not_found, invalid_state, consent_required
 */
export function rollBack(
  context: Context,
  storeId: string,
  appId: string,
  { versionId, scopes }: { versionId: string; scopes?: string[] },
): Promise<InstallRow> {
  return changeInstall(context, storeId, appId, async (trx, install) => {
    refuseUninstalled(install);
    const target = await earlierVersion(trx, install, versionId);
    const asksForMore = !includesAll(install.granted_scopes, target.scopes);
    if (asksForMore || scopes) checkConsent(scopes ?? [], target.scopes);
    const held_number = await findNewestKnownNumber(trx, appId);
    return { version_id: target.id, granted_scopes: target.scopes, held_number };
  });
}

/** Whether every scope asked for is among those granted. */
export function includesAll(granted: readonly string[], asked: readonly string[]): boolean {
  return asked.every((scope) => granted.includes(scope));
}

/**
 * The blocks that a rollback would take away, with the live pages that show them. `decisions.md 7.6`.
 * @throws not_found, invalid_state
 */
export async function missingBlocks(
  { db, peers }: Context,
  storeId: string,
  appId: string,
  versionId: string,
): Promise<{ key: string; name: string; pages: BlockUse['pages'] }[]> {
  const install = await findInstall(db, storeId, appId);
  if (!install) throw errors.not_found();
  refuseUninstalled(install);
  const target = await earlierVersion(db, install, versionId);
  const [present, kept] = await Promise.all([findBlocks(db, install.version_id), findBlocks(db, target.id)]);
  const keptKeys = new Set(kept.map(({ key }) => key));
  const missing = present.filter(({ key }) => !keptKeys.has(key));
  if (missing.length === 0) return [];
  const found = await peers.call<{ uses: BlockUse[] }>('content', 'POST', '/internal/block-uses', {
    storeId,
    appId,
  });
  const pagesOf = new Map(found?.uses.map(({ blockKey, pages }) => [blockKey, pages]));
  return missing.map(({ key, name }) => ({ key, name, pages: pagesOf.get(key) ?? [] }));
}

async function earlierVersion(db: Context['db'], install: InstallRow, versionId: string) {
  const version = await findVersionOfApp(db, install.app_id, versionId);
  if (version?.state !== 'approved' || version.number >= install.version_number) throw errors.not_found();
  return version;
}

function refuseUninstalled({ state }: InstallRow): void {
  if (state === 'uninstalled') throw errors.invalid_state({ message: 'This app is not installed.' });
}

/**
 * Disables an app in the store, or enables it again; its tokens rest meanwhile.
 * @throws not_found, invalid_state
 */
export function switchInstall(
  context: Context,
  storeId: string,
  appId: string,
  state: 'installed' | 'disabled',
): Promise<InstallRow> {
  return changeInstall(context, storeId, appId, async (_, install) => {
    refuseUninstalled(install);
    return install.state === state ? null : { state };
  });
}

/**
 * Uninstalls an app: its tokens end for good, its data stays. Again: changes nothing.
 * @throws not_found
 */
export async function uninstallApp(context: Context, storeId: string, appId: string): Promise<void> {
  await changeInstall(context, storeId, appId, async (trx, install) => {
    if (install.state === 'uninstalled') return null;
    await deleteCredentials(trx, storeId, install.id);
    return { state: 'uninstalled', held_number: null };
  });
}
