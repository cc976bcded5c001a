import {
  type AppCallType,
  type AppSecret,
  AppWebhookChanged,
  type EventData,
  type EventMessage,
  idPrefixes,
} from '@waybill/contracts';
import type { AuthorizeKeyed } from '@waybill/kernel';
import { open, seal } from '@waybill/outbound';
import type { PublicEvent } from '../bodies/public-event.ts';
import { markWaitingCalls } from '../cancellations/queries.ts';
import type { Context, Write } from '../context.ts';
import { updateEndpoint } from '../endpoints/queries.ts';
import { findPreviousSecret } from '../endpoints/secrets.ts';
import { errors } from '../errors.ts';
import { fanOut } from '../events/fan-out.ts';
import { insertAppEndpoint, lockAppEndpoint, updateAppEndpointUrl } from './queries.ts';

/** Returns the id of an app's only endpoint, derived from the app's id. */
export const createEndpointId = (appId: string): string =>
  `${idPrefixes.webhookEndpoint}${appId.slice(idPrefixes.app.length)}`;

/**
 * Returns the id of an app after checking that the user is a member of its organisation (`decisions.md 7.2`).
 * @throws not_found, resource_unavailable
 */
export async function requireApp(
  { peers }: Pick<Context, 'peers'>,
  { orgId, appId }: { orgId: string; appId: string },
  userId: string,
): Promise<string> {
  const membership = { orgId, appId, userId };
  if (!(await peers.call('app-platform', 'POST', '/internal/apps/member', membership)))
    throw errors.not_found();
  return appId;
}

/** Throws unless the user who repeats a request about an app is still a member of its organisation. */
export const authorizeMember =
  (context: Context): AuthorizeKeyed =>
  async ({ access }, { principal, params: { orgId, appId } }) => {
    if (access !== 'user' || principal?.kind !== 'user' || orgId === undefined || appId === undefined) return;
    await requireApp(context, { orgId, appId }, principal.userId);
  };

/**
 * Signs the calls of an app with this secret from now on, and also with the previous one until that expires. Setting
 * the app's current secret again changes nothing (`decisions.md 14.5`).
 */
export async function setSecret(
  { trx }: Write,
  { config: { encryptionKeys } }: Pick<Context, 'config'>,
  { secret, previousExpiresAt, ...target }: AppSecret,
): Promise<void> {
  const { appId } = target;
  const id = createEndpointId(appId);
  const current = await lockAppEndpoint(trx, appId, id);
  const sealed = seal(encryptionKeys, secret, id);
  if (!current) return insertAppEndpoint(trx, id, sealed, target);
  await updateAppEndpointUrl(trx, id, target);
  if (isSealed(secret, current.sealed_secret)) return;
  // Secrets are not rotated during an overlap, so a new one now means that the app platform never committed or showed
  // the current one: the former secret stays.
  const former = findPreviousSecret(current)?.sealed ?? current.sealed_secret;
  await updateEndpoint(trx, appId, id, {
    sealed_secret: sealed,
    sealed_previous_secret: previousExpiresAt === null ? null : former,
    previous_secret_expires_at: previousExpiresAt === null ? null : new Date(previousExpiresAt),
  });

  function isSealed(text: string, sealed: string): boolean {
    try {
      return open(encryptionKeys, sealed, id) === text;
    } catch {
      // The secret was sealed with a key that this deployment no longer has.
      return false;
    }
  }
}

/** Returns the app to call and the data it receives. A payment request loses the app's own id. */
function parseAppCall(text: string): { storeId: string; data: string } {
  const { appId, install, ...data } = JSON.parse(text) as { appId?: string; install?: { appId: string } };
  if (install) return { storeId: install.appId, data: text };
  return { storeId: appId!, data: JSON.stringify(data) };
}

/**
 * Calls apps about their installs, and applies changes of their webhook URLs. Waiting calls go to the new URL, or are
 * cancelled when there is none (`decisions.md 14.5`).
 */
export async function onAppEvents(context: Context, messages: readonly EventMessage[]): Promise<void> {
  const { transaction, wakeTask } = context;
  const events: PublicEvent[] = [];
  for (const { name, storeId: _, ...message } of messages) {
    if (name === AppWebhookChanged.name) {
      const target: EventData<typeof AppWebhookChanged> = JSON.parse(message.data);
      await transaction(async (trx) => {
        const id = createEndpointId(target.appId);
        const isUrlChanged = await updateAppEndpointUrl(trx, id, target);
        if (isUrlChanged && target.url === null)
          await markWaitingCalls(trx, [{ storeId: target.appId, endpointId: id }]);
      });
      wakeTask('cancel');
    } else {
      const type = name.slice(name.indexOf('.') + 1) as AppCallType;
      events.push({ ...message, type, ...parseAppCall(message.data) });
    }
  }
  await fanOut(context, events);
}
