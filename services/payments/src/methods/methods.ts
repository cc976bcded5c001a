import {
  type EventData,
  type EventMessage,
  type InstallChanged,
  isMethodOffered,
  newId,
  type PaymentContext,
  storeLimits,
} from '@waybill/contracts';
import type { IdempotentWrite } from '@waybill/kernel';
import { open, seal } from '@waybill/outbound';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { connectStripe, disconnectStripe, isTestKey, type RegisteredWebhook } from '../providers/stripe.ts';
import type { MethodRow } from '../records/session-queries.ts';
import { announceMethods } from './announcements.ts';
import {
  countEnabledMethods,
  findMethod,
  insertMethod,
  listEnabledMethods,
  listMethodIds,
  lockMethods,
  renumberMethods,
  setAppUnavailable,
  updateMethod,
} from './queries.ts';
import type { PaymentChoice, PaymentMethod, PaymentMethodChange, PaymentMethodInput } from './routes.ts';

/** Returns the address for the events of a method's provider. */
const createWebhookUrl = ({ config }: Pick<Context, 'config'>, id: string) =>
  `${config.publicUrl}/payments/${id}/events`;

/** Converts a method to the shape that the API uses. */
export function toMethod(context: Pick<Context, 'config'>, row: MethodRow): PaymentMethod {
  return {
    id: row.id,
    provider: row.provider,
    name: row.name,
    isEnabled: row.is_enabled,
    isTest: row.is_test,
    capture: row.capture,
    instructions: row.instructions,
    publishableKey: row.publishable_key,
    hasSecretKey: row.sealed_secret_key !== null,
    hasWebhookSecret: row.sealed_webhook_secret !== null,
    webhookUrl: row.provider === 'stripe' ? createWebhookUrl(context, row.id) : null,
    countries: row.countries,
    minimumCents: row.minimum_cents,
    maximumCents: row.maximum_cents,
    appId: row.app_id,
    position: row.position,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** Lists the enabled methods that accept this country and total, by position: `decisions.md 22.1`. */
export async function listChoices(
  { db }: Pick<Context, 'db'>,
  storeId: string,
  occasion: PaymentContext,
): Promise<PaymentChoice[]> {
  const enabled = await listEnabledMethods(db, storeId);
  const acceptsOrder = ({ countries, minimum_cents: minimumCents, maximum_cents: maximumCents }: MethodRow) =>
    isMethodOffered({ countries, minimumCents, maximumCents }, occasion);
  return enabled.filter(acceptsOrder).map((row) => ({
    id: row.id,
    name: row.name,
    provider: row.provider,
    instructions: row.instructions,
    isTest: row.is_test,
  }));
}

/** Returns the columns that a request sets directly. */
function toMethodSettings(change: PaymentMethodChange) {
  const columns = {
    name: change.name,
    is_enabled: change.isEnabled,
    capture: change.capture,
    instructions: change.instructions,
    publishable_key: change.publishableKey,
    countries: change.countries && [...new Set(change.countries)],
    minimum_cents: change.minimumCents,
    maximum_cents: change.maximumCents,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as Partial<
    typeof columns
  > & { name: string };
}

/** Seals the secrets of a method for its row. */
function sealSecrets(
  { config }: Pick<Context, 'config'>,
  id: string,
  { secretKey, webhookSecret }: Pick<PaymentMethodChange, 'secretKey' | 'webhookSecret'>,
  registered: RegisteredWebhook | null | undefined,
) {
  const sealed = (text: string) => seal(config.encryptionKeys, text, id);
  // A key that registers no address replaces the signing secret of the earlier key.
  const signing = registered?.secret ?? (registered === null ? (webhookSecret ?? null) : webhookSecret);
  return {
    ...(secretKey !== undefined && { sealed_secret_key: sealed(secretKey), is_test: isTestKey(secretKey) }),
    ...(signing !== undefined && { sealed_webhook_secret: signing && sealed(signing) }),
    ...(registered !== undefined && { provider_webhook_id: registered?.id ?? null }),
  };
}

/**
 * Adds a method after its provider has accepted the key. `decisions.md 22.1`.
 * @throws invalid_body, invalid_credentials, resource_unavailable, too_many_payment_methods
 */
export async function createMethod(
  context: Context,
  storeId: string,
  input: PaymentMethodInput,
  idempotentWrite: IdempotentWrite,
): Promise<{ paymentMethod: PaymentMethod }> {
  await idempotentWrite.begin(input);
  checkLimits(input);
  checkProvider(input);
  // Checked before the call to the provider, or an address registered for a refused method would stay registered.
  if ((await listMethodIds(context.db, storeId)).length >= storeLimits.paymentMethods)
    throw errors.too_many_payment_methods();
  if (input.provider === 'app') await requireAppPayments(context, storeId, input.appId!);
  const id = newId('paymentMethod');
  const { secretKey } = input;
  const registered =
    input.provider === 'stripe'
      ? await connectStripe(context.config.stripeUrl, secretKey ?? '', createWebhookUrl(context, id))
      : undefined;
  const commit = idempotentWrite.commit(async (write: Write) => {
    const { trx, audit } = write;
    await lockMethods(trx, storeId);
    const others = await listMethodIds(trx, storeId);
    if (others.length >= storeLimits.paymentMethods) throw errors.too_many_payment_methods();
    await insertMethod(trx, storeId, {
      ...toMethodSettings(input),
      ...sealSecrets(context, id, input, registered),
      id,
      provider: input.provider,
      app_id: input.appId ?? null,
      position: others.length,
    });
    if (input.isEnabled) await checkEnabledCount(trx, storeId);
    if (input.position !== undefined) others.splice(input.position, 0, id);
    else others.push(id);
    await renumberMethods(trx, storeId, others);
    const row = (await findMethod(trx, storeId, id))!;
    await audit(storeId, 'paymentMethod.created', { id, name: row.name });
    await announceMethods(context, write, storeId);
    return { paymentMethod: toMethod(context, row) };
  });
  return unregisterWebhookOnFailure(context, id, secretKey, registered, commit);
}

/**
 * Maximum number of enabled methods of a store. Each checkout reads all of them, so this is far below the limit of rows.
 */
const maxEnabledMethods = 100;

/** @throws too_many_payment_methods */
async function checkEnabledCount(trx: Write['trx'], storeId: string): Promise<void> {
  if ((await countEnabledMethods(trx, storeId)) <= maxEnabledMethods) return;
  const message = `A store offers at most ${maxEnabledMethods} payment methods at once; disable some.`;
  throw errors.too_many_payment_methods({ message });
}

/**
 * Changes a method. A new key is tried first.
 * @throws not_found, invalid_body, invalid_credentials, resource_unavailable, too_many_payment_methods
 */
export async function changeMethod(
  context: Context,
  storeId: string,
  id: string,
  change: PaymentMethodChange,
  idempotentWrite: IdempotentWrite,
): Promise<{ paymentMethod: PaymentMethod }> {
  await idempotentWrite.begin(change);
  const before = await findMethod(context.db, storeId, id);
  if (!before) throw errors.not_found();
  checkLimits(limitsAfter(before, change));
  const isStripe = before.provider === 'stripe';
  if (!isStripe && (change.secretKey !== undefined || change.webhookSecret != null)) {
    throw refuse('/secretKey', 'belongs to methods of Stripe only');
  }
  const registered =
    isStripe && change.secretKey !== undefined
      ? await connectStripe(context.config.stripeUrl, change.secretKey, createWebhookUrl(context, id))
      : undefined;
  const commit = idempotentWrite.commit(async (write: Write) => {
    const { trx, audit } = write;
    await lockMethods(trx, storeId);
    const row = await findMethod(trx, storeId, id);
    if (!row) throw errors.not_found();
    checkLimits(limitsAfter(row, change));
    const columns = { ...toMethodSettings(change), ...sealSecrets(context, id, change, registered) };
    const changed = Object.keys(columns).filter(
      (name) =>
        JSON.stringify(row[name as keyof MethodRow]) !==
        JSON.stringify(columns[name as keyof typeof columns]),
    );
    const ids = await listMethodIds(trx, storeId);
    const isMoved =
      change.position !== undefined && ids.indexOf(id) !== Math.min(change.position, ids.length - 1);
    if (changed.length === 0 && !isMoved) return { paymentMethod: toMethod(context, row) };
    await updateMethod(trx, storeId, id, columns);
    if (change.isEnabled && !row.is_enabled) await checkEnabledCount(trx, storeId);
    if (isMoved) {
      ids.splice(ids.indexOf(id), 1);
      ids.splice(change.position!, 0, id);
      await renumberMethods(trx, storeId, ids);
    }
    await audit(
      storeId,
      'paymentMethod.updated',
      { id, name: columns.name ?? row.name },
      { changed: Object.keys(change).sort() },
    );
    await announceMethods(context, write, storeId);
    return { paymentMethod: toMethod(context, (await findMethod(trx, storeId, id))!) };
  });
  const answer = await unregisterWebhookOnFailure(context, id, change.secretKey, registered, commit);
  if (registered !== undefined) await unregisterWebhook(context, before);
  return answer;
}

/**
 * Deletes a method, so that it is no longer offered. Its row stays for the payments that it began.
 * @throws not_found
 */
export async function deleteMethod(
  context: Pick<Context, 'peers'>,
  write: Write,
  storeId: string,
  id: string,
): Promise<void> {
  const { trx, audit } = write;
  await lockMethods(trx, storeId);
  const row = await findMethod(trx, storeId, id);
  if (!row) throw errors.not_found();
  await updateMethod(trx, storeId, id, { deleted_at: new Date(), is_enabled: false });
  const rest = await listMethodIds(trx, storeId);
  await renumberMethods(trx, storeId, rest);
  await audit(storeId, 'paymentMethod.deleted', { id, name: row.name });
  await announceMethods(context, write, storeId);
}

/** @throws invalid_body if the app is not available in the store, or accepts no payments there */
async function requireAppPayments(
  { peers }: Pick<Context, 'peers'>,
  storeId: string,
  appId: string,
): Promise<void> {
  const query = { storeId, appId };
  const reply = await peers.call<{ payments: object | null }>(
    'app-platform',
    'POST',
    '/internal/app-payments/lookup',
    query,
  );
  if (!reply?.payments) throw refuse('/appId', 'is no installed app that takes payments');
}

/** Follows which apps are available in stores: methods of unavailable apps are not offered. */
export async function onInstallsChanged(context: Context, messages: readonly EventMessage[]): Promise<void> {
  for (const { storeId, data } of messages) {
    const { appId, isAvailable }: EventData<typeof InstallChanged> = JSON.parse(data);
    await context.write(async (write: Write) => {
      await lockMethods(write.trx, storeId);
      if (await setAppUnavailable(write.trx, storeId, appId, !isAvailable))
        await announceMethods(context, write, storeId);
    });
  }
}

/** Returns the limits of a method after a change. */
const limitsAfter = (row: MethodRow, change: PaymentMethodChange) => ({
  minimumCents: change.minimumCents === undefined ? row.minimum_cents : change.minimumCents,
  maximumCents: change.maximumCents === undefined ? row.maximum_cents : change.maximumCents,
});

/** Returns the result of a write. If the write fails, unregisters the address that was registered for it. */
async function unregisterWebhookOnFailure<Result>(
  { config, log }: Context,
  methodId: string,
  secretKey: string | undefined,
  registered: RegisteredWebhook | null | undefined,
  commit: Promise<Result>,
): Promise<Result> {
  try {
    return await commit;
  } catch (error) {
    if (registered && secretKey !== undefined) {
      await disconnectStripe(config.stripeUrl, secretKey, registered.id).catch((err: unknown) =>
        log.warn({ err, methodId }, 'an address for events stays registered with the provider'),
      );
    }
    throw error;
  }
}

/**
 * Unregisters the address that an earlier key registered. If the provider does not answer, the address stays
 * registered, which does no harm.
 */
async function unregisterWebhook({ config, log }: Context, before: MethodRow): Promise<void> {
  const { provider_webhook_id: webhookId, sealed_secret_key: sealedKey, id } = before;
  if (!webhookId || !sealedKey) return;
  try {
    await disconnectStripe(config.stripeUrl, open(config.encryptionKeys, sealedKey, id), webhookId);
  } catch (err) {
    log.warn({ err, methodId: id }, 'an address for events stays registered with the provider');
  }
}

function checkProvider({ provider, secretKey, webhookSecret, appId }: PaymentMethodInput): void {
  if (provider === 'stripe' && secretKey === undefined) {
    throw errors.invalid_credentials({
      message: 'A method of Stripe needs a secret key.',
      details: [{ pointer: '/secretKey', message: 'is missing' }],
    });
  }
  if (provider !== 'stripe' && secretKey !== undefined) {
    throw refuse('/secretKey', 'belongs to methods of Stripe only');
  }
  if (provider !== 'stripe' && webhookSecret != null) {
    throw refuse('/webhookSecret', 'belongs to methods of Stripe only');
  }
  if (provider !== 'app' && appId != null) throw refuse('/appId', 'belongs to methods of apps only');
  if (provider === 'app' && appId == null) throw refuse('/appId', 'is needed for a method of an app');
}

function checkLimits({
  minimumCents,
  maximumCents,
}: Pick<PaymentMethodChange, 'minimumCents' | 'maximumCents'>) {
  if (minimumCents != null && maximumCents != null && minimumCents > maximumCents) {
    throw refuse('/maximumCents', 'is below minimumCents');
  }
}

const refuse = (pointer: string, message: string): Error =>
  errors.invalid_body({ details: [{ pointer, message }] });
