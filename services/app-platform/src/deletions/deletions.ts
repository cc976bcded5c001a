import type { IdempotentWrite } from '@waybill/kernel';
import { lockApp } from '../apps/queries.ts';
import { announceWebhook } from '../apps/webhook.ts';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { iconSweepTask } from '../icons/icons.ts';
import { releaseIcon } from '../icons/queries.ts';
import { listReportingStores } from '../oauth/queries.ts';
import { changeMembers } from '../orgs/orgs.ts';
import { lockVersion } from '../versions/queries.ts';
import { auditVersion } from '../versions/versions.ts';
import {
  claimDeletedApp,
  deleteAppRow,
  deleteInstalls,
  deleteOrgRow,
  deleteVersionRow,
  forgetDeletedApp,
  hasApps,
  insertDeletedApp,
  isAppInstalled,
  isVersionInstalled,
  listInstallsToDelete,
} from './queries.ts';

/**
 * Deletes a draft; modules stay in the object store, as those that a draft replaced do. Throws `not_found`,
 * `invalid_state`, `app_installed`. `decisions.md 14.7`.
 */
export async function deleteVersion(
  { trx }: Write,
  { appId, versionId }: { appId: string; versionId: string },
): Promise<void> {
  // An install holds the app while it is made.
  const app = await lockApp(trx, appId);
  const version = await lockVersion(trx, versionId);
  if (!app || !version) throw errors.not_found();
  if (version.state !== 'draft') {
    throw errors.invalid_state({ message: `Only drafts can be deleted; this one is ${version.state}.` });
  }
  if (await isVersionInstalled(trx, versionId)) throw errors.app_installed();
  await auditVersion(trx, app, version, { action: 'deleted' });
  await deleteVersionRow(trx, versionId);
}

/** The name of the task that deletes what deleted apps have left in stores. */
export const deletedAppTask = 'sweep-deleted-apps';

/**
 * Deletes an app that no store has, with all its versions; what it has left in stores that uninstalled it goes in the
 * background. Throws `not_found`, `app_installed`. `decisions.md 14.7`.
 */
export async function deleteApp(
  { trx, audit, afterCommit }: Write,
  { wake, cache }: Context,
  appId: string,
): Promise<void> {
  // Whoever installs it at this moment holds it: either that install is seen here, or it finds no app.
  const app = await lockApp(trx, appId);
  if (!app) throw errors.not_found();
  if (await isAppInstalled(trx, appId)) throw errors.app_installed();
  await insertDeletedApp(trx, appId);
  if (app.icon_id) await releaseIcon(trx, app.icon_id);
  if (app.webhook_url) await announceWebhook(trx, { ...app, webhook_url: null });
  await audit(app.org_id, 'app.deleted', app);
  const reporting = await listReportingStores(trx, appId);
  await deleteAppRow(trx, appId);
  afterCommit(() => Promise.all(reporting.map((storeId) => cache.bumpEpoch(storeId))));
  afterCommit(() => wake(iconSweepTask));
  afterCommit(() => wake(deletedAppTask));
}

/** With up to 500 values each. */
const installsAtOnce = 20;

/** Deletes some installs of a deleted app with what it kept in their stores; true: there may be more. */
export function sweepDeletedApps({ transaction }: Context): Promise<boolean> {
  return transaction(async (trx) => {
    const appId = await claimDeletedApp(trx);
    if (appId === undefined) return false;
    const installs = await listInstallsToDelete(trx, appId, installsAtOnce);
    await deleteInstalls(trx, appId, installs);
    if (installs.length < installsAtOnce) await forgetDeletedApp(trx, appId);
    return true;
  });
}

/**
 * Deletes an organisation that has nothing left. Its stores identity knows, and is asked before the transaction, which waits
 * for nobody: one that is opened at that very moment has an owner all the same, who can close it. Throws `not_found`,
 * `insufficient_role`, `org_not_empty`. `decisions.md 14.7`.
 */
export async function deleteOrg(
  context: Context,
  orgId: string,
  actorId: string,
  once: IdempotentWrite,
): Promise<void> {
  await once.begin(undefined);
  const found = context.peers.has('identity')
    ? await context.peers.call<{ total: number }>('identity', 'GET', `/internal/orgs/${orgId}/stores`)
    : null;
  const remove = (write: Write) =>
    changeMembers(write, orgId, actorId, async (actorRole) => {
      const { trx, audit } = write;
      if (actorRole !== 'owner') {
        throw errors.insufficient_role({ message: 'Only an owner deletes the organisation.' });
      }
      if (await hasApps(trx, orgId))
        throw errors.org_not_empty({ message: 'This organisation still has apps.' });
      if (found && found.total > 0)
        throw errors.org_not_empty({
          message: 'This organisation still has development stores; close them first.',
        });
      const { name } = await deleteOrgRow(trx, orgId);
      await audit(orgId, 'organisation.deleted', { id: orgId, name });
    });
  await once.commit(remove);
}
