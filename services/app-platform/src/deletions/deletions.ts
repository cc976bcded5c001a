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
  deleteDeletedAppRow,
  deleteInstalls,
  deleteOrgRow,
  deleteVersionRow,
  hasApps,
  insertDeletedApp,
  isAppInstalled,
  isVersionInstalled,
  listInstallsToDelete,
} from './queries.ts';

/**
 * Deletes a draft. Its modules stay in the object store, as those that a draft replaced do. Throws `not_found`,
 * `invalid_state`, `app_installed` (`decisions.md 14.7`).
 */
export async function deleteVersion(
  write: Write,
  { appId, versionId }: { appId: string; versionId: string },
): Promise<void> {
  const { trx } = write;
  // An install holds the app while it is being made.
  const app = await lockApp(trx, appId);
  const version = await lockVersion(trx, versionId);
  if (!app || !version) throw errors.not_found();
  if (version.state !== 'draft') {
    throw errors.invalid_state({ message: `Only drafts can be deleted; this one is ${version.state}.` });
  }
  if (await isVersionInstalled(trx, versionId)) throw errors.app_installed();
  await auditVersion(write, app, version, { action: 'deleted' });
  await deleteVersionRow(trx, versionId);
}

/** Name of the task that deletes the data of deleted apps in stores. */
export const deletedAppTask = 'sweep-deleted-apps';

/**
 * Deletes an app that no store has installed, with all its versions. The data it left in stores that uninstalled it is
 * deleted in the background. Throws `not_found`, `app_installed` (`decisions.md 14.7`).
 */
export async function deleteApp(write: Write, { wakeTask, cache }: Context, appId: string): Promise<void> {
  const { trx, audit, afterCommit } = write;
  // An install being made holds the app: either it is seen here, or it finds no app.
  const app = await lockApp(trx, appId);
  if (!app) throw errors.not_found();
  if (await isAppInstalled(trx, appId)) throw errors.app_installed();
  await insertDeletedApp(trx, appId);
  if (app.icon_id) await releaseIcon(trx, app.icon_id);
  if (app.webhook_url) await announceWebhook(write, { ...app, webhook_url: null });
  await audit(app.org_id, 'app.deleted', app);
  const reporting = await listReportingStores(trx, appId);
  await deleteAppRow(trx, appId);
  afterCommit(() => Promise.all(reporting.map((storeId) => cache.bumpEpoch(storeId))));
  afterCommit(() => wakeTask(iconSweepTask));
  afterCommit(() => wakeTask(deletedAppTask));
}

/** Each may have up to 500 values. */
const installsAtOnce = 20;

/** Deletes some installs of a deleted app with the values in their stores. Returns true when there may be more. */
export function sweepDeletedApps({ transaction }: Context): Promise<boolean> {
  return transaction(async (trx) => {
    const appId = await claimDeletedApp(trx);
    if (appId === undefined) return false;
    const installs = await listInstallsToDelete(trx, appId, installsAtOnce);
    await deleteInstalls(trx, appId, installs);
    if (installs.length < installsAtOnce) await deleteDeletedAppRow(trx, appId);
    return true;
  });
}

/**
 * Deletes an organisation that has no apps and no stores. Identity is asked for its stores before the transaction,
 * which must not wait for other services. A store opened at that very moment still has an owner who can close it.
 * Throws `not_found`, `insufficient_role`, `org_not_empty` (`decisions.md 14.7`).
 */
export async function deleteOrg(
  context: Context,
  orgId: string,
  actorId: string,
  idempotentWrite: IdempotentWrite,
): Promise<void> {
  await idempotentWrite.begin(undefined);
  const found = context.peers.has('identity')
    ? await context.peers.call<{ total: number }>('identity', 'GET', `/internal/orgs/${orgId}/stores`)
    : null;
  const remove = (write: Write) =>
    changeMembers(write, orgId, actorId, async (actorRole) => {
      const { trx, audit } = write;
      if (actorRole !== 'owner') {
        throw errors.insufficient_role({ message: 'Only an owner can delete the organisation.' });
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
  await idempotentWrite.commit(remove);
}
