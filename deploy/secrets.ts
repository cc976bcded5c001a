import type { Env } from '@waybill/kernel';
import { readOrCreateSecrets } from './standalone/data-directory.ts';

/** Each of the installation's secrets under the name of the setting that it is the default of. */
const secretNames = {
  WAYBILL_PRINCIPAL_KEY: 'principalKey',
  WAYBILL_USER_TOKEN_KEY: 'userTokenKey',
  WAYBILL_WEBHOOK_ENCRYPTION_KEY: 'webhookEncryptionKey',
  WAYBILL_SERVICE_TOKEN: 'serviceToken',
} as const;

/** The environment, completed by the secrets that the data directory keeps. */
export async function withSecrets(dataDir: string, env: Env): Promise<Env> {
  const secrets = await readOrCreateSecrets(dataDir, Object.values(secretNames));
  const defaults = Object.entries(secretNames).map(([setting, name]) => [setting, secrets[name]]);
  return { ...Object.fromEntries(defaults), ...env };
}
