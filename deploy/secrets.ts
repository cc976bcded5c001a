import { callersText, type Env, ed25519Key, keysFrom, publicKeyText, readKeys } from '@waybill/kernel';
import { readOrCreateSecrets } from './standalone/data-directory.ts';

/** Each of the installation's secrets under the name of the setting that it is the default of. */
export const secretNames = {
  WAYBILL_PRINCIPAL_KEY: 'principalKey',
  WAYBILL_USER_TOKEN_KEY: 'userTokenKey',
  WAYBILL_WEBHOOK_ENCRYPTION_KEY: 'webhookEncryptionKey',
  WAYBILL_PAYMENT_ENCRYPTION_KEY: 'paymentEncryptionKey',
} as const;

/**
 * The environment, completed by the secrets that the data directory keeps. One that `npm run keys` has made a list of
 * (`new:…,old:…`) is the setting of several keys.
 */
export async function withSecrets(dataDir: string, env: Env): Promise<Env> {
  const secrets = await readOrCreateSecrets(dataDir, Object.values(secretNames));
  const defaults = Object.entries(secretNames).map(([setting, name]) => [
    secrets[name].includes(':') ? `${setting}S` : setting,
    secrets[name],
  ]);
  return { ...Object.fromEntries(defaults), ...env };
}

/** Who asks internal routes besides the services: `npm run admin`, and what makes the demo. */
const operator = 'operator';

/** What `npm start`, which is all services in one process, is called as a caller. */
export const oneProcess = 'standalone';

/** Who is who on internal routes, `decisions.md 18.1`. */
export interface Callers {
  /** What one of them names itself with, and whom it lets in: the settings of a process. */
  settingsOf(caller: string): Env;
  operatorToken: string;
}

/**
 * A token of the data directory for each of `names` and for the operator; where the environment has one, that for all.
 * `serviceToken`, the one for all of versions before, opens the answers that it sealed, and lets nobody in.
 */
export async function readCallers(dataDir: string, env: Env, names: readonly string[]): Promise<Callers> {
  if (env.WAYBILL_SERVICE_TOKEN || env.WAYBILL_SERVICE_TOKENS) {
    const { WAYBILL_SERVICE_TOKEN, WAYBILL_SERVICE_TOKENS, WAYBILL_CALLERS } = env;
    const [first] = readKeys(env, 'WAYBILL_SERVICE_TOKEN');
    return {
      settingsOf: () => ({ WAYBILL_SERVICE_TOKEN, WAYBILL_SERVICE_TOKENS, WAYBILL_CALLERS }),
      operatorToken: first!.value,
    };
  }
  const secretOf = (caller: string) => `serviceToken.${caller}`;
  const callers = [...names, operator];
  const secrets = await readOrCreateSecrets(dataDir, ['serviceToken', ...callers.map(secretOf)]);
  const keysOf = (caller: string) => {
    const value = secrets[secretOf(caller)]!;
    return value.includes(':') ? value : `own:${value}`;
  };
  const tokensOf = (caller: string) => readKeys({ WAYBILL_SERVICE_TOKENS: keysOf(caller) }, serviceToken);
  const text = callersText(
    callers.flatMap((caller) =>
      tokensOf(caller).map(({ id, value }, i) => [i === 0 ? caller : `${caller}_${id}`, value] as const),
    ),
  );
  return {
    settingsOf: (caller) => ({
      WAYBILL_SERVICE_TOKENS: `${keysOf(caller)},shared:${secrets.serviceToken}`,
      WAYBILL_CALLERS: text,
    }),
    operatorToken: tokensOf(operator)[0]!.value,
  };
}

const serviceToken = 'WAYBILL_SERVICE_TOKEN';

/** The setting that verifies what the principal keys of `env` sign. */
export function principalPublicKeys(env: Env): Env {
  const name = 'WAYBILL_PRINCIPAL_KEY';
  const keys = keysFrom(name, readKeys(env, name), ed25519Key);
  if (!env[`${name}S`]) return { WAYBILL_PRINCIPAL_PUBLIC_KEY: publicKeyText(keys[0]!.key) };
  const texts = keys.map(({ id, key }) => `${id}:${publicKeyText(key)}`);
  return { WAYBILL_PRINCIPAL_PUBLIC_KEYS: texts.join(',') };
}
