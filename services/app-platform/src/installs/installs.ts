import { type AuditAction, InstallChanged, newId, storeLimits } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import { type AppRow, lockAppForShare } from '../apps/queries.ts';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { emitInstallChange, emitToApp } from '../lifecycle/lifecycle.ts';
import type { InstallRow } from '../lifecycle/queries.ts';
import { issueCode } from '../oauth/codes.ts';
import { redirectTo } from '../oauth/redirects.ts';
import { revokeTokens } from '../oauth/tokens.ts';
import { findOrgRole } from '../orgs/queries.ts';
import { includesAll, needsConsent } from '../sweeps/sweeps.ts';
import type { Tables } from '../tables.ts';
import {
  findNewestApproved,
  findNewestKnownNumber,
  findVersionOfApp,
  lockVersionForShare,
  type VersionRow,
} from '../versions/queries.ts';
import { type Choice, checkChoice, checkDevelopmentInstallLimit } from './development.ts';
import {
  countStoreInstalls,
  findInstall,
  type InstallChange,
  insertInstall,
  lockInstall,
  updateInstall,
} from './queries.ts';
import type { Authorization, Consent, InstallInput } from './routes.ts';

type Trx = Transaction<Tables>;

/**
 * Installs the newest approved version of an app. An app that was uninstalled comes back with its data. With a redirect
 * address, the answer redirects there with a code for the app's first tokens; `issuer` names the redirecting server
 * (RFC 9207). With a choice, the chosen version replaces whatever is installed (`decisions.md 7.6, 14.3, 14.4`).
 * @throws not_found, already_installed, invalid_state, consent_required, invalid_body, invalid_request
 */
export async function installApp(
  write: Write,
  { cache }: Context,
  { storeId, appId, userId, issuer }: Merchant,
  { redirectUri, state, codeChallenge, scopes, connectOrigins }: InstallInput,
  choice: Choice | null,
): Promise<{ row: InstallRow; redirectTo: string | null }> {
  const { trx, afterCommit } = write;
  const consent: Consent = { scopes, ...(connectOrigins && { connectOrigins }) };
  const redirect =
    redirectUri === undefined ? null : { redirectUri, codeChallenge: requireChallenge(codeChallenge) };
  const offer = await lockOffer(trx, storeId, appId, userId, choice);
  if (isInstalled(offer) && !choice) throw errors.already_installed();
  if (redirect) checkRedirectUri(offer.app, redirect.redirectUri);
  let id = await applyOffer(write, storeId, offer, consent);
  if (!id && choice) {
    // Another request has just made an install: the choice replaces it.
    const current = await lockInstall(trx, storeId, appId);
    id = await applyOffer(write, storeId, { ...offer, current }, consent);
  }
  if (!id) throw errors.already_installed();
  const code = redirect && (await issueCode(trx, storeId, { id, ...redirect }));
  const row = (await findInstall(trx, storeId, appId))!;
  afterCommit(() => cache.bumpEpoch(storeId));
  return { row, redirectTo: code && redirectTo(redirectUri!, { code, state, iss: issuer }) };
}

/**
 * Answers an app's authorisation request with the address that leads back to it, with a code for tokens. Installs the
 * app if it is not installed. An existing install keeps its version and grants, even if a newer version waits. With a
 * choice, that version is installed. Declining changes nothing (`decisions.md 14.1`).
 * @throws not_found, invalid_state, consent_required, invalid_body
 */
export async function authorizeApp(
  write: Write,
  { cache }: Context,
  { storeId, appId, userId, issuer }: Merchant,
  { redirectUri, state, codeChallenge, decline, ...consent }: Authorization,
  choice: Choice | null,
): Promise<string> {
  const { trx, afterCommit } = write;
  const offer = await lockOffer(trx, storeId, appId, userId, choice);
  checkRedirectUri(offer.app, redirectUri);
  if (decline) return redirectTo(redirectUri, { error: 'access_denied', state, iss: issuer });
  const createdId = isInstalled(offer) ? null : await applyOffer(write, storeId, offer, consent);
  const id = createdId ?? (await reauthorize(write, storeId, offer.app));
  const code = await issueCode(trx, storeId, { id, redirectUri, codeChallenge });
  if (createdId !== null) afterCommit(() => cache.bumpEpoch(storeId));
  return redirectTo(redirectUri, { code, state, iss: issuer });
}

/** A merchant who installs an app in a store, and the issuer named in the redirect. */
interface Merchant {
  storeId: string;
  appId: string;
  userId: string;
  issuer: string;
}

/** An app as offered to a store. It is held unchanged, and the store's install of it is locked. */
interface Offer {
  app: AppRow;
  current: Awaited<ReturnType<typeof lockInstall>>;
  /** The newest approved version, or the one that the developers chose. */
  version: VersionRow | undefined;
  isDevelopment: boolean;
}

/** Reads and locks an offer. Throws `not_found` for an app that is hidden from the user. */
async function lockOffer(
  trx: Trx,
  storeId: string,
  appId: string,
  userId: string,
  choice: Choice | null = null,
): Promise<Offer> {
  const app = await lockAppForShare(trx, appId);
  if (!app) throw errors.not_found();
  // Hold the version before the install, because a change of a draft locks the draft's row first and then those of its
  // installs.
  const chosen = choice && (await lockVersionForShare(trx, appId, choice.versionId));
  const current = await lockInstall(trx, storeId, appId);
  const approved = await findNewestApproved(trx, appId);
  if (!approved && !current && !(await canSeeApp(trx, app, userId))) throw errors.not_found();
  if (!choice) return { app, current, version: approved, isDevelopment: false };
  await checkChoice(trx, app, choice);
  if (!chosen) throw errors.not_found({ message: 'The app has no such version.' });
  return { app, current, version: chosen, isDevelopment: true };
}

const isInstalled = ({ current }: Offer) => current !== undefined && current.state !== 'uninstalled';

/**
 * Makes the install that the merchant agrees to, restores it, or moves it to the chosen version, and returns its id;
 * null when another request has made it in the meantime. Throws `invalid_state`, `consent_required`.
 */
async function applyOffer(
  { trx, audit, emit }: Write,
  storeId: string,
  offer: Offer,
  consent: Consent,
): Promise<string | null> {
  const { app, current, version, isDevelopment } = offer;
  if (!version || app.suspended_at) {
    throw errors.invalid_state({ message: 'No version of this app can be installed at present.' });
  }
  checkConsent(consent, version);
  const isDevelopmentInstall = isInstalled(offer) && current!.is_development;
  if (isDevelopment && !isDevelopmentInstall) await checkDevelopmentInstallLimit(trx, storeId);
  const id = current?.id ?? newId('install');
  const change = {
    version_id: version.id,
    granted_scopes: version.scopes,
    held_number: null,
    // A disabled install stays disabled.
    state: isInstalled(offer) ? current!.state : 'installed',
    choice: (current?.choice ?? 0) + 1,
    is_development: isDevelopment,
    ...(!isInstalled(offer) && { is_told_available: true }),
  } as const;
  if (!current && (await countStoreInstalls(trx, storeId)) >= storeLimits.apps)
    throw errors.too_many_apps({ message: 'A store can install at most 10,000 different apps.' });
  if (current) await updateInstall(trx, storeId, id, change);
  else if (!(await insertInstall(trx, storeId, { ...change, id, app_id: app.id }))) return null;
  const isUpdate = isInstalled(offer);
  await audit(storeId, isUpdate ? 'app.updated' : 'app.installed', app);
  if (change.state === 'installed') {
    await emit(InstallChanged, storeId, { appId: app.id, isAvailable: true, isUpgrade: false });
  }
  const installed = (await findInstall(trx, storeId, app.id))!;
  await emitToApp(trx, isUpdate ? 'app.updated' : 'app.installed', [installed]);
  return id;
}

/** Returns the id of an install that may get tokens again. Throws `invalid_state`. */
async function reauthorize({ trx, audit }: Write, storeId: string, app: AppRow): Promise<string> {
  const install = (await lockInstall(trx, storeId, app.id))!;
  if (install.state !== 'installed' || app.suspended_at) {
    throw errors.invalid_state({ message: 'This app is not available in the store at present.' });
  }
  await audit(storeId, 'app.authorized', app);
  return install.id;
}

/** Compares redirect addresses character by character (RFC 9700, 2.1). */
function checkRedirectUri({ redirect_uris }: AppRow, redirectUri: string): void {
  if (redirect_uris.includes(redirectUri)) return;
  throw errors.invalid_body({
    details: [{ pointer: '/redirectUri', message: 'is not registered by this app' }],
  });
}

/** Requires a challenge, because every code is bound to one. */
function requireChallenge(codeChallenge: string | undefined): string {
  if (codeChallenge === undefined) throw errors.invalid_request();
  return codeChallenge;
}

/** Whether the user may know the app: an app that was never approved is known only to its organisation. */
export async function canSeeApp(
  trx: Context['db'],
  { id, org_id }: AppRow,
  userId: string,
): Promise<boolean> {
  const [newest, role] = [await findNewestKnownNumber(trx, id), await findOrgRole(trx, org_id, userId)];
  return newest !== null || role !== undefined;
}

/** Throws unless the merchant agrees to exactly what a version asks for. */
function checkConsent({ scopes, connectOrigins = [] }: Consent, version: VersionRow): void {
  const isSame = (granted: readonly string[], requested: readonly string[]) =>
    includesAll(granted, requested) && includesAll(requested, granted);
  if (isSame(scopes, version.scopes) && isSame(connectOrigins, version.connect_origins)) return;
  throw errors.consent_required({
    fields: { scopes: version.scopes, connectOrigins: version.connect_origins },
  });
}

/**
 * Changes an install under its lock, and records the result in the store's audit and as events. `decide` returns the
 * new values, or null for no change. The store's epoch advances after the commit and before the answer.
 */
async function changeInstall(
  write: Write,
  { cache }: Context,
  storeId: string,
  appId: string,
  action: AuditAction,
  decide: (trx: Trx, install: InstallRow) => Promise<InstallChange | null>,
): Promise<InstallRow> {
  const { trx, audit, afterCommit } = write;
  await lockAppForShare(trx, appId);
  const locked = await lockInstall(trx, storeId, appId);
  const before = locked && (await findInstall(trx, storeId, appId));
  if (!before) throw errors.not_found();
  const change = await decide(trx, before);
  if (!change) return before;
  await updateInstall(trx, storeId, before.id, change);
  await audit(storeId, action, { id: appId, name: before.app_name });
  const row = (await findInstall(trx, storeId, appId))!;
  await emitChange(write, before, row);
  afterCommit(() => cache.bumpEpoch(storeId));
  return row;
}

/**
 * Tells the app about every change. Other services hear nothing while the app stays unavailable; once it is available,
 * the last choice applies.
 */
async function emitChange({ trx, emit }: Write, before: InstallRow, after: InstallRow): Promise<void> {
  await emitInstallChange(trx, before, after);
  const isAvailable = after.shown_state === 'installed';
  if (!isAvailable && before.shown_state !== 'installed') return;
  await emit(InstallChanged, after.store_id, { appId: after.app_id, isAvailable, isUpgrade: false });
}

/**
 * Moves an install to the waiting version; live pages show it within seconds (`decisions.md 7.6, 13.7`).
 * @throws not_found, invalid_state, consent_required
 */
export function consentToVersion(
  write: Write,
  context: Context,
  storeId: string,
  appId: string,
  consent: Consent,
): Promise<InstallRow> {
  return changeInstall(write, context, storeId, appId, 'app.consented', async (trx, install) => {
    assertInstalled(install);
    const version = await requireWaitingVersion(trx, install);
    checkConsent(consent, version);
    return { ...chooseVersion(install, version), held_number: null };
  });
}

/**
 * Moves an install back to an earlier approved version and keeps it there: versions known now are not installed
 * automatically again. A version that asks for more than is granted needs consent as an install does. Live pages show
 * it within seconds (`decisions.md 7.6, 13.7`).
 * @throws not_found, invalid_state, consent_required
 */
export function rollBack(
  write: Write,
  context: Context,
  storeId: string,
  appId: string,
  { versionId, scopes, connectOrigins }: { versionId: string } & Partial<Consent>,
): Promise<InstallRow> {
  return changeInstall(write, context, storeId, appId, 'app.rolledBack', async (trx, install) => {
    assertInstalled(install);
    const target = await requireEarlierVersion(trx, install, versionId);
    const isAgreed = scopes !== undefined || connectOrigins !== undefined;
    if (isAgreed || needsConsent(install, target)) {
      checkConsent({ scopes: scopes ?? [], connectOrigins: connectOrigins ?? [] }, target);
    }
    return { ...chooseVersion(install, target), held_number: await findNewestKnownNumber(trx, appId) };
  });
}

/** Builds the change for a version that the merchant chose, which ends any choice of the developers. */
function chooseVersion({ choice }: InstallRow, { id, scopes }: VersionRow): InstallChange {
  return { version_id: id, granted_scopes: scopes, choice: choice + 1, is_development: false };
}

/** Returns the version that waits for the merchant's consent. Throws `invalid_state` when there is none. */
export async function requireWaitingVersion(db: Context['db'], install: InstallRow): Promise<VersionRow> {
  const version = await findNewestApproved(db, install.app_id);
  if (!version || version.number <= install.version_number) {
    throw errors.invalid_state({ message: 'No version is waiting.' });
  }
  return version;
}

/** Returns an earlier approved version of the install's app, to which it can go back. Throws `not_found`. */
export async function requireEarlierVersion(
  db: Context['db'],
  install: InstallRow,
  versionId: string,
): Promise<VersionRow> {
  const version = await findVersionOfApp(db, install.app_id, versionId);
  if (version?.state !== 'approved' || version.number >= install.version_number)
    throw errors.not_found({ message: 'The app has no such earlier version that is approved.' });
  return version;
}

/** Throws `invalid_state` when the merchant has uninstalled the app. */
export function assertInstalled({ state }: InstallRow): void {
  if (state === 'uninstalled') throw errors.invalid_state({ message: 'This app is not installed.' });
}

/**
 * Disables an app in the store, or enables it again. Its tokens are invalid while it is disabled.
 * @throws not_found, invalid_state
 */
export function setInstallEnabled(
  write: Write,
  context: Context,
  storeId: string,
  appId: string,
  state: 'installed' | 'disabled',
): Promise<InstallRow> {
  const action = state === 'installed' ? 'app.enabled' : 'app.disabled';
  return changeInstall(write, context, storeId, appId, action, async (_, install) => {
    assertInstalled(install);
    return install.state === state ? null : { state };
  });
}

/**
 * Uninstalls an app. Its tokens end for good, except for reports on its open payments; its data stays. Repeating it
 * changes nothing.
 * @throws not_found
 */
export async function uninstallApp(
  write: Write,
  context: Context,
  storeId: string,
  appId: string,
): Promise<void> {
  const { updated_at: uninstalledAt } = await changeInstall(
    write,
    context,
    storeId,
    appId,
    'app.uninstalled',
    async (trx, install) => {
      if (install.state === 'uninstalled') return null;
      await revokeTokens(trx, install);
      return { state: 'uninstalled', held_number: null };
    },
  );
  write.afterCommit(() => hideFields(context, { storeId, appId, uninstalledAt }));
}

/**
 * Hides the app's custom fields before the uninstall is answered. If catalog is unavailable, the event does so later.
 */
async function hideFields(
  { peers, log }: Context,
  install: { storeId: string; appId: string; uninstalledAt: Date },
): Promise<void> {
  if (!peers.has('catalog')) return;
  await peers
    .call('catalog', 'POST', '/internal/custom-fields/apps', install)
    .catch((err) => log.warn({ err }, 'the custom fields of an uninstalled app are hidden a little later'));
}
