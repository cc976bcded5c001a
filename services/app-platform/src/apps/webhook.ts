import { type AppSecret, AppWebhookChanged } from '@waybill/contracts';
import { checkUrl, forbiddenMessage, newSigningSecret, vetHost } from '@waybill/outbound';
import type { Config, Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { type AppRow, findApp, lockAppWebhook, updateApp } from './queries.ts';

const hourMs = 3_600_000;

/**
 * Checks the address that an app is called at, as for stores' endpoints (`decisions.md 6.1`). Throws `invalid_body`,
 * `blocked_url`.
 */
export async function checkWebhookUrl(
  { trustedTargets }: Config,
  text: string | null | undefined,
): Promise<void> {
  if (text == null) return;
  const url = checkUrl(text);
  if ('problem' in url) {
    throw errors.invalid_body({ details: [{ pointer: '/webhookUrl', message: url.message }] });
  }
  if ('forbidden' in (await vetHost(url, trustedTargets)))
    throw errors.blocked_url({ message: forbiddenMessage(url) });
}

/** Publishes the new webhook URL of an app; a null URL ends its calls. */
export async function announceWebhook(
  { trx, emit }: Write,
  { id: appId, webhook_url: url, webhook_revision }: AppRow,
): Promise<AppRow> {
  const revision = webhook_revision + 1;
  await emit(AppWebhookChanged, appId, { appId, url, revision });
  return updateApp(trx, appId, { webhook_revision: revision });
}

/**
 * Gives an app's calls their first signing secret, or a new one. For `overlapHours`, calls are signed with the previous
 * one as well. Only this result contains the secret unencrypted (`decisions.md 12.4, 14.5`).
 * @throws not_found, invalid_state during an earlier overlap unless `overlapHours` is 0, resource_unavailable
 */
export async function issueWebhookSecret(
  { trx, audit }: Write,
  { peers }: Context,
  appId: string,
  overlapHours: number,
): Promise<{ row: AppRow; secret: string }> {
  const secret = newSigningSecret();
  await lockAppWebhook(trx, appId);
  const app = await findApp(trx, appId);
  if (!app) throw errors.not_found();
  if (overlapHours > 0 && previousSecretExpiry(app)) {
    throw errors.invalid_state({ message: 'The previous secret is still in use.' });
  }
  const isFirst = app.webhook_secret_issued_at === null;
  const expiresAt = isFirst || overlapHours === 0 ? null : new Date(Date.now() + overlapHours * hourMs);
  const appSecret: AppSecret = {
    appId,
    url: app.webhook_url,
    revision: app.webhook_revision,
    secret,
    previousExpiresAt: expiresAt?.toISOString() ?? null,
  };
  // Send the secret before the commit, because a secret that webhooks does not know is useless. If this transaction
  // then fails, the next secret replaces the sent one as if it had never existed.
  await peers.call('webhooks', 'POST', '/internal/app-secrets', appSecret);
  await audit(app.org_id, 'app.webhookSecretIssued', app);
  const row = await updateApp(trx, appId, {
    webhook_secret_issued_at: new Date(),
    previous_webhook_secret_expires_at: expiresAt,
  });
  return { row, secret };
}

/** Returns until when calls are also signed with the previous secret; null when they are not. */
export function previousSecretExpiry({ previous_webhook_secret_expires_at: at }: AppRow): Date | null {
  return at && at.getTime() > Date.now() ? at : null;
}
