import { isDeepStrictEqual } from 'node:util';
import { newId, type Principal, type Problem, type Rights, storeLimits } from '@waybill/contracts';
import { forbiddenMessage, newSigningSecret, seal, vetHost } from '@waybill/outbound';
import { canReadFully } from '../bodies/reduction.ts';
import { markWaitingCalls } from '../cancellations/queries.ts';
import type { Config } from '../config.ts';
import type { Context, Write } from '../context.ts';
import { errors } from '../errors.ts';
import { toApiDestination } from './destination.ts';
import {
  deleteEndpointRow,
  type Endpoint,
  insertEndpoint,
  lockEndpoint,
  lockEndpointCount,
  updateEndpoint,
} from './queries.ts';
import { resolveSettings, type SettingsColumns } from './resolve-settings.ts';
import { findRights, toHolder } from './rights.ts';
import type { Webhook, WebhookInput, WebhookReplacement } from './routes.ts';
import { findPreviousSecret } from './secrets.ts';

/** The columns that an audit entry names when they change, by their API fields. */
const auditedFields = {
  url: 'url',
  events: 'events',
  description: 'description',
  status: 'status',
  filter: 'filter',
  call_settings: 'callSettings',
  sealed_settings: 'secrets',
  max_per_second: 'maxPerSecond',
  retry_delays: 'retryDelays',
  ordering: 'ordering',
  batch: 'batch',
  honors_retry_after: 'honorsRetryAfter',
  stops_on_gone: 'stopsOnGone',
  failure_alerts: 'failureAlerts',
  disable_after_days: 'disableAfterDays',
} as const;
type Audited = keyof typeof auditedFields;

/**
 * Creates an endpoint owned by the principal. Only this result contains its signing secret unencrypted.
 * @throws too_many_webhooks
 */
export async function createEndpoint(
  { trx, audit }: Write,
  { config }: Pick<Context, 'config'>,
  storeId: string,
  principal: Principal,
  checked: CheckedInput,
): Promise<{ webhook: Webhook; secret: string }> {
  const owner = toHolder(principal);
  const id = newId('webhookEndpoint');
  const secret = newSigningSecret();
  const settings = settingsColumns(config, id, checked, null);
  if ((await lockEndpointCount(trx, storeId)) >= storeLimits.webhooks) throw errors.too_many_webhooks();
  await audit(storeId, 'webhook.created', { id, name: endpointName(settings.url) });
  const endpoint = await insertEndpoint(trx, storeId, {
    ...baseColumns(checked),
    ...settings,
    id,
    status: 'active',
    sealed_secret: seal(config.encryptionKeys, secret, id),
    owner_id: owner.id,
    app_id: principal.kind === 'app' ? principal.appId : null,
  });
  return { webhook: toWebhook(endpoint, owner.rights), secret };
}

/** The new values of an endpoint being replaced. */
export interface EndpointReplacement {
  checked: CheckedInput;
  /** The rights of the owner after the replacement. */
  rights: Rights;
  status: Endpoint['status'] | undefined;
}

/**
 * Finds the rights of the future owner of a replaced endpoint; an app's endpoint keeps the app as its owner. Call it
 * before the write, which must not wait for other services.
 * @throws resource_unavailable
 */
export async function findRightsAfter(
  context: Context,
  storeId: string,
  principal: Principal,
  { app_id: appId }: Endpoint,
): Promise<Rights> {
  if (appId === null) return toHolder(principal).rights;
  const rights = (await findRights(context, [{ storeId, id: appId }]))(storeId, appId);
  if (rights === undefined) throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
  return rights;
}

/**
 * Replaces an endpoint. From then on it receives what the principal may read, except that an app's endpoint keeps the
 * app's rights. `failing` is accepted only as the current status, so that a client can write back what it read.
 * Disabling cancels waiting deliveries, in steps. Writes nothing when no value differs (`store-api.md 3`,
 * `decisions.md 12.2`).
 * @throws not_found, invalid_status
 */
export async function replaceEndpoint(
  { trx, audit, afterCommit }: Write,
  { config, wakeTask }: Pick<Context, 'config' | 'wakeTask'>,
  storeId: string,
  principal: Principal,
  id: string,
  { checked, rights, status = 'active' }: EndpointReplacement,
): Promise<Webhook> {
  const current = await lockEndpoint(trx, storeId, principal, id);
  if (!current) throw errors.not_found();
  if (status === 'failing' && current.status !== 'failing') {
    throw errors.invalid_status({ message: 'Only the server can mark a webhook as failing.' });
  }
  const settings = settingsColumns(config, id, checked, current);
  const changes = {
    ...baseColumns(checked),
    ...settings,
    status,
    owner_id: current.app_id ?? toHolder(principal).id,
  };
  if (isDeepStrictEqual({ ...current, ...changes }, current)) return toWebhook(current, rights);
  if (status === 'disabled') {
    await markWaitingCalls(trx, [{ storeId, endpointId: id }]);
    afterCommit(() => wakeTask('cancel'));
  }
  // Three failures in a row end with a success or a new status. Days of failures go on, unless the endpoint is switched
  // off or on, or calls go somewhere else: a PUT of its description is no success (`decisions.md 24.4`).
  const isRestarted =
    (status === 'disabled') !== (current.status === 'disabled') ||
    settings.url !== current.url ||
    !isDeepStrictEqual(settings.call_settings?.destination, current.call_settings?.destination);
  const streak = {
    ...(status !== current.status && { failures: 0 }),
    ...(isRestarted && { failing_since: null, told_disabling_at: null }),
  };
  const changed = (Object.keys(auditedFields) as Audited[])
    .filter((column) => !isDeepStrictEqual(current[column], changes[column]))
    .map((column) => auditedFields[column]);
  await audit(storeId, 'webhook.updated', { id, name: endpointName(settings.url) }, { changed });
  return toWebhook(await updateEndpoint(trx, storeId, id, { ...changes, ...streak }), rights);
}

/**
 * Removes an endpoint and cancels its waiting deliveries, in steps.
 * @throws not_found
 */
export async function deleteEndpoint(
  { trx, audit, afterCommit }: Write,
  { wakeTask }: Pick<Context, 'wakeTask'>,
  storeId: string,
  principal: Principal,
  id: string,
): Promise<void> {
  const current = await lockEndpoint(trx, storeId, principal, id);
  if (!current) throw errors.not_found();
  await deleteEndpointRow(trx, storeId, id);
  await audit(storeId, 'webhook.deleted', { id, name: endpointName(current.url) });
  await markWaitingCalls(trx, [{ storeId, endpointId: id }]);
  afterCommit(() => wakeTask('cancel'));
}

/** Returns the name of an endpoint for audit entries: its host, because the rest of a URL may be secret. */
export const endpointName = (url: string): string => new URL(url).host;

/**
 * Converts an endpoint to its API form. Throws `resource_unavailable` when the rights of its owner could not be read.
 */
export type RenderEndpoint = (endpoint: Endpoint) => Webhook;

/**
 * Reads the owners' rights in advance and returns a function that renders these endpoints without waiting for other
 * services.
 */
export async function createEndpointRenderer(
  context: Context,
  storeId: string,
  endpoints: readonly Endpoint[],
): Promise<RenderEndpoint> {
  const owners = endpoints.map(({ owner_id }) => ({ storeId, id: owner_id }));
  const getRights = await findRights(context, owners);
  return (endpoint) => {
    const rights = getRights(storeId, endpoint.owner_id);
    if (rights === undefined) throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
    return toWebhook(endpoint, rights);
  };
}

/** Converts an endpoint to its API form, without its secret. `rights` are those of its owner. */
function toWebhook(endpoint: Endpoint, rights: Rights): Webhook {
  const { id, events, status, description, app_id, created_at, updated_at } = endpoint;
  const { headers = {}, secretHeaders = [], format, certificate, destination } = endpoint.call_settings ?? {};
  return {
    id,
    url: destination ? null : endpoint.url,
    events,
    status,
    description,
    appId: app_id,
    reducedEvents: events.filter((type) => !canReadFully(rights, type)),
    previousSecretExpiresAt: findPreviousSecret(endpoint)?.expiresAt ?? null,
    filter: endpoint.filter,
    headers,
    secretHeaders,
    maxPerSecond: endpoint.max_per_second,
    retryDelays: endpoint.retry_delays,
    ordering: endpoint.ordering as Webhook['ordering'],
    batch: endpoint.batch,
    format: format ?? 'envelope',
    honorsRetryAfter: endpoint.honors_retry_after,
    stopsOnGone: endpoint.stops_on_gone,
    failureAlerts: endpoint.failure_alerts,
    disableAfterDays: endpoint.disable_after_days,
    clientCertificate: certificate === undefined ? null : { certificate },
    destination: toApiDestination(destination),
    createdAt: created_at.toISOString(),
    updatedAt: updated_at.toISOString(),
  };
}

/** Input for creating or replacing an endpoint, with its target already checked. */
export interface CheckedInput {
  input: WebhookInput | WebhookReplacement;
  /** The origin that the address rule has accepted; null if the stored target stays. */
  origin: string | null;
}

/**
 * Returns what is wrong with an input beyond the schemas of its fields. `current` is the endpoint being replaced;
 * `refused` as in `resolveSettings`.
 */
export const findInputProblems = (
  { encryptionKeys }: Pick<Config, 'encryptionKeys'>,
  input: Partial<WebhookReplacement>,
  current: Endpoint | null,
  refused: ReadonlySet<string>,
): Problem[] => resolveSettings(encryptionKeys, current?.id ?? '', input, current, refused).problems;

/**
 * Checks an input before anything is stored (`store-api.md 4.9`, `decisions.md 6.1`). It queries a name server of the
 * caller's choice, which no transaction may wait for. `current` is the endpoint being replaced.
 * @throws invalid_body, blocked_url
 */
export async function checkInput(
  config: Config,
  input: CheckedInput['input'],
  current: Endpoint | null,
): Promise<CheckedInput> {
  const { problems, address } = resolveSettings(config.encryptionKeys, current?.id ?? '', input, current);
  if (problems.length > 0) throw errors.invalid_body({ details: problems.slice(0, 100) });
  if (address && 'forbidden' in (await vetHost(address, config.trustedTargets)))
    throw errors.blocked_url({ message: forbiddenMessage(address) });
  return { input, origin: address?.origin ?? null };
}

const baseColumns = ({ input }: CheckedInput) => ({
  events: [...new Set(input.events)],
  description: input.description ?? '',
});

/**
 * Resolves the settings once more, from the endpoint as it is now that it is locked.
 * @throws invalid_body; resource_unavailable if it was changed since, so that the checked target is not the one any more
 */
function settingsColumns(
  { encryptionKeys }: Config,
  id: string,
  { input, origin }: CheckedInput,
  current: Endpoint | null,
): SettingsColumns {
  const { problems, columns, address } = resolveSettings(encryptionKeys, id, input, current);
  if (problems.length > 0) throw errors.invalid_body({ details: problems.slice(0, 100) });
  if ((address?.origin ?? null) !== origin)
    throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
  return columns;
}
