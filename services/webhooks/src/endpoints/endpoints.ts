import { isDeepStrictEqual } from 'node:util';
import { newId, type Principal, type Rights, storeLimits } from '@waybill/contracts';
import { audit } from '@waybill/kernel';
import { checkUrl, forbiddenMessage, newSigningSecret, seal, vetHost } from '@waybill/outbound';
import { mayRead } from '../bodies/reduction.ts';
import { markWaiting } from '../cancellations/queries.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { errors } from '../errors.ts';
import {
  deleteEndpointRow,
  type Endpoint,
  findEndpoint,
  insertEndpoint,
  lockEndpoint,
  lockEndpointCount,
  updateEndpoint,
} from './queries.ts';
import { findRights, holderOf } from './rights.ts';
import type { Webhook, WebhookInput } from './routes.ts';
import { previousSecretOf } from './secrets.ts';

const shownFields = ['url', 'events', 'description', 'status'] as const;

/**
 * Creates an endpoint of whoever asks for it; its signing secret is in this result and nowhere else in the clear.
 * @throws too_many_webhooks
 */
export async function createEndpoint(
  { transaction, config }: Context,
  storeId: string,
  principal: Principal,
  fields: EndpointFields,
): Promise<{ webhook: Webhook; secret: string }> {
  const owner = holderOf(principal);
  const id = newId('webhookEndpoint');
  const secret = newSigningSecret();
  const endpoint = await transaction(async (trx) => {
    if ((await lockEndpointCount(trx, storeId)) >= storeLimits.webhooks) throw errors.too_many_webhooks();
    await audit(trx, storeId, 'webhook.created', { id, name: nameOf(fields.url) });
    return insertEndpoint(trx, storeId, {
      ...fields,
      id,
      status: 'active',
      sealed_secret: seal(config.encryptionKeys, secret, id),
      owner_id: owner.id,
      app_id: principal.kind === 'app' ? principal.appId : null,
    });
  });
  return { webhook: toWebhook(endpoint, owner.rights), secret };
}

/**
 * Replaces an endpoint, which from then on gets what its replacer may read; what an app's endpoint may read stays the
 * app's, whoever replaces it. `failing` is accepted only where it
 * stands already, so that what was read can be written back; disabling cancels the deliveries that wait, in steps; what
 * changes nothing touches nothing. `store-api.md 3`, `decisions.md 12.2`.
 * @throws not_found, invalid_status
 */
export async function replaceEndpoint(
  context: Context,
  storeId: string,
  principal: Principal,
  id: string,
  fields: EndpointFields,
  status: Endpoint['status'] = 'active',
): Promise<Webhook> {
  const { db, transaction, wake } = context;
  const replacer = holderOf(principal);
  // Found out before the transaction, which waits for no other service.
  const seen = await findEndpoint(db, storeId, principal, id);
  if (!seen) throw errors.not_found();
  const rightsOf = await findRights(context, [{ storeId, id: seen.app_id }]);
  const rights = seen.app_id === null ? replacer.rights : rightsOf(storeId, seen.app_id);
  if (rights === undefined) throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
  const endpoint = await transaction(async (trx) => {
    const current = await lockEndpoint(trx, storeId, principal, id);
    if (!current) throw errors.not_found();
    if (status === 'failing' && current.status !== 'failing') {
      throw errors.invalid_status({ message: 'Only the server marks a webhook as failing.' });
    }
    const changes = { ...fields, status, owner_id: current.app_id ?? replacer.id };
    if (isDeepStrictEqual({ ...current, ...changes }, current)) return current;
    if (status === 'disabled') await markWaiting(trx, [{ storeId, endpointId: id }]);
    // Only a call that succeeds ends a row of failures, and somebody who sets another status.
    const failures = status === current.status ? current.failures : 0;
    const changed = shownFields.filter((field) => !isDeepStrictEqual(current[field], changes[field]));
    await audit(trx, storeId, 'webhook.updated', { id, name: nameOf(fields.url) }, { changed });
    return updateEndpoint(trx, storeId, id, { ...changes, failures });
  });
  if (status === 'disabled') wake('cancel');
  return toWebhook(endpoint, rights);
}

/**
 * Removes an endpoint and cancels the deliveries that wait, in steps.
 * @throws not_found
 */
export async function deleteEndpoint(
  { transaction, wake }: Context,
  storeId: string,
  principal: Principal,
  id: string,
): Promise<void> {
  await transaction(async (trx) => {
    const current = await lockEndpoint(trx, storeId, principal, id);
    if (!current) throw errors.not_found();
    await deleteEndpointRow(trx, storeId, id);
    await audit(trx, storeId, 'webhook.deleted', { id, name: nameOf(current.url) });
    await markWaiting(trx, [{ storeId, endpointId: id }]);
  });
  wake('cancel');
}

/** Names an endpoint in audit entries by its host: the rest of a URL may be secret. */
export const nameOf = (url: string): string => new URL(url).host;

/** Renders an endpoint as the API shows it. Throws `resource_unavailable` when its owner's rights could not be read. */
export type RenderEndpoint = (endpoint: Endpoint) => Webhook;

/** Prepares to render these endpoints: reads their owners' rights now, so that rendering waits for no service. */
export async function prepareWebhooks(
  context: Context,
  storeId: string,
  endpoints: readonly Endpoint[],
): Promise<RenderEndpoint> {
  const owners = endpoints.map(({ owner_id }) => ({ storeId, id: owner_id }));
  const rightsOf = await findRights(context, owners);
  return (endpoint) => {
    const rights = rightsOf(storeId, endpoint.owner_id);
    if (rights === undefined) throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
    return toWebhook(endpoint, rights);
  };
}

/** Without its secret; `rights` are its owner's. */
function toWebhook(endpoint: Endpoint, rights: Rights): Webhook {
  const { id, url, events, status, description, app_id, created_at, updated_at } = endpoint;
  return {
    id,
    url,
    events,
    status,
    description,
    appId: app_id,
    reducedEvents: events.filter((type) => !mayRead(rights, type)),
    previousSecretExpiresAt: previousSecretOf(endpoint)?.expiresAt ?? null,
    createdAt: created_at.toISOString(),
    updatedAt: updated_at.toISOString(),
  };
}

/** The fields of an endpoint after validation. */
export type EndpointFields = Required<WebhookInput>;

/**
 * Checks where calls would go, before anything is stored: `store-api.md 4.9`, `decisions.md 6.1`. It asks a name server of
 * the caller's choice, which no transaction may wait for.
 * @throws invalid_body, blocked_url
 */
export async function checkFields(config: Config, input: WebhookInput): Promise<EndpointFields> {
  const url = checkUrl(input.url);
  if ('problem' in url) throw errors.invalid_body({ details: [{ pointer: '/url', message: url.message }] });
  if ('forbidden' in (await vetHost(url, config.trustedTargets)))
    throw errors.blocked_url({ message: forbiddenMessage(url) });
  return { url: input.url, events: [...new Set(input.events)], description: input.description ?? '' };
}
