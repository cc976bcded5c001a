import type { Principal } from '@waybill/contracts';
import { newSigningSecret, seal } from '@waybill/outbound';
import type { Context, Write } from '../context.ts';
import { errors } from '../errors.ts';
import { endpointName, type RenderEndpoint } from './endpoints.ts';
import { lockEndpoint, updateEndpoint } from './queries.ts';
import type { Webhook } from './routes.ts';
import { findPreviousSecret } from './secrets.ts';

const hourMs = 3_600_000;
const withoutPreviousSecret = { sealed_previous_secret: null, previous_secret_expires_at: null };

/**
 * Gives an endpoint a new secret, which only this result contains unencrypted. For `overlapHours`, calls are signed
 * with the old one as well (`decisions.md 12.4`).
 * @throws not_found, invalid_state during the overlap of an earlier rotation unless `overlapHours` is 0, and the errors
 * of `render`
 */
export async function rotateSecret(
  { trx, audit }: Write,
  { config }: Pick<Context, 'config'>,
  render: RenderEndpoint,
  storeId: string,
  principal: Principal,
  id: string,
  overlapHours: number,
): Promise<{ webhook: Webhook; secret: string }> {
  const current = await lockEndpoint(trx, storeId, principal, id);
  if (!current) throw errors.not_found();
  if (overlapHours > 0 && findPreviousSecret(current)) {
    throw errors.invalid_state({
      message: 'The previous secret is still in use: finish that first.',
    });
  }
  const previous = {
    sealed_previous_secret: current.sealed_secret,
    previous_secret_expires_at: new Date(Date.now() + overlapHours * hourMs),
  };
  const secret = newSigningSecret();
  const endpoint = await updateEndpoint(trx, storeId, id, {
    sealed_secret: seal(config.encryptionKeys, secret, id),
    ...(overlapHours > 0 ? previous : withoutPreviousSecret),
  });
  await audit(storeId, 'webhook.secretRotated', { id, name: endpointName(endpoint.url) });
  // Render before the commit: a secret that is stored but cannot be shown would be lost.
  return { webhook: render(endpoint), secret };
}

/**
 * Ends the overlap of a rotation: from now on calls are signed only with the new secret.
 * @throws not_found, invalid_state when there is no overlap, and the errors of `render`
 */
export async function finishRotation(
  { trx, audit }: Write,
  render: RenderEndpoint,
  storeId: string,
  principal: Principal,
  id: string,
): Promise<Webhook> {
  const current = await lockEndpoint(trx, storeId, principal, id);
  if (!current) throw errors.not_found();
  if (!findPreviousSecret(current)) {
    throw errors.invalid_state({ message: 'The secret is not being rotated.' });
  }
  await audit(storeId, 'webhook.rotationFinished', { id, name: endpointName(current.url) });
  return render(await updateEndpoint(trx, storeId, id, withoutPreviousSecret));
}
