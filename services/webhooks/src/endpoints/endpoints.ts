import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type EventType, newId } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import { checkUrl, seal, vetHost } from '@waybill/outbound';
import type { Selectable } from 'kysely';
import type { Config } from '../config.ts';
import { cancelWaitingDeliveries } from '../deliveries/queries.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import {
  deleteEndpointRow,
  insertEndpoint,
  lockEndpoint,
  lockEndpointCount,
  updateEndpoint,
} from './queries.ts';
import type { Webhook, WebhookInput, WebhookReplacement } from './routes.ts';

type RunTransaction = ServiceContext<Config, Tables>['transaction'];

const maxEndpoints = 50;

/**
 * Creates an endpoint; its signing secret is in this result and nowhere else in the clear.
 * @throws invalid_body, blocked_url, too_many_webhooks
 */
export async function createEndpoint(
  transaction: RunTransaction,
  config: Config,
  storeId: string,
  input: WebhookInput,
): Promise<{ webhook: Webhook; secret: string }> {
  const { url, events } = await checkTarget(config, input);
  const id = newId('webhookEndpoint');
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const endpoint = await transaction(async (trx) => {
    if ((await lockEndpointCount(trx, storeId)) >= maxEndpoints) throw errors.too_many_webhooks();
    const sealedSecret = seal(config.encryptionKey, secret, id);
    return insertEndpoint(trx, storeId, { id, url, events, status: 'active', sealed_secret: sealedSecret });
  });
  return { webhook: toWebhook(endpoint), secret };
}

/**
 * Replaces an endpoint. `failing` is accepted only where it stands already, so that what was read can be written
 * back; disabling cancels the deliveries that wait; what changes nothing touches nothing. `store-api.md 3`.
 * @throws not_found, invalid_body, invalid_status, blocked_url
 */
export async function replaceEndpoint(
  transaction: RunTransaction,
  config: Config,
  storeId: string,
  id: string,
  input: WebhookReplacement,
): Promise<Webhook> {
  const { url, events } = await checkTarget(config, input);
  const status = input.status ?? 'active';
  const endpoint = await transaction(async (trx) => {
    const current = await lockEndpoint(trx, storeId, id);
    if (!current) throw errors.not_found();
    if (status === 'failing' && current.status !== 'failing') {
      throw errors.invalid_status({ message: 'Only the server marks a webhook as failing.' });
    }
    const changes = { url, events, status };
    if (isDeepStrictEqual(changes, { url: current.url, events: current.events, status: current.status })) {
      return current;
    }
    if (status === 'disabled') await cancelWaitingDeliveries(trx, storeId, id);
    const failures = status === 'failing' ? current.failures : 0;
    return updateEndpoint(trx, storeId, id, { ...changes, failures });
  });
  return toWebhook(endpoint);
}

/**
 * Removes an endpoint and cancels the deliveries that wait.
 * @throws not_found
 */
export function deleteEndpoint(transaction: RunTransaction, storeId: string, id: string): Promise<void> {
  return transaction(async (trx) => {
    if (!(await deleteEndpointRow(trx, storeId, id))) throw errors.not_found();
    await cancelWaitingDeliveries(trx, storeId, id);
  });
}

/** The endpoint as the API shows it: without its secret. */
export function toWebhook(endpoint: Selectable<Tables['webhook_endpoint']>): Webhook {
  const { id, url, events, status, created_at, updated_at } = endpoint;
  return {
    id,
    url,
    events,
    status,
    createdAt: created_at.toISOString(),
    updatedAt: updated_at.toISOString(),
  };
}

/** Checks where calls would go, before anything is stored: `store-api.md 4.9`, `decisions.md 6.1`. */
async function checkTarget(
  config: Config,
  input: WebhookInput,
): Promise<{ url: string; events: EventType[] }> {
  const url = checkUrl(input.url);
  if ('problem' in url) throw errors.invalid_body({ details: [{ pointer: '/url', message: url.message }] });
  if ('forbidden' in (await vetHost(url, config.trustedTargets))) throw errors.blocked_url();
  return { url: input.url, events: [...new Set(input.events)] };
}
