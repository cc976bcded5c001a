import { callersText, type Env, ed25519Key, keysFrom, publicKeyText, readKeys } from '@waybill/kernel';
import { readOrCreateSecrets } from './standalone/data-directory.ts';

/** The installation's secrets, each under the setting whose default it is. */
export const secretNames = {
  WAYBILL_PRINCIPAL_KEY: 'principalKey',
  WAYBILL_USER_TOKEN_KEY: 'userTokenKey',
  WAYBILL_WEBHOOK_ENCRYPTION_KEY: 'webhookEncryptionKey',
  WAYBILL_PAYMENT_ENCRYPTION_KEY: 'paymentEncryptionKey',
} as const;

/**
 * Completes the environment with the secrets of the data directory. A secret that `npm run keys` has turned into a list
 * (`new:…,old:…`) sets the setting for several keys.
 */
export async function withSecrets(dataDir: string, env: Env): Promise<Env> {
  const secrets = await readOrCreateSecrets(dataDir, Object.values(secretNames));
  const defaults = Object.entries(secretNames).map(([setting, name]) => [
    secrets[name].includes(':') ? `${setting}S` : setting,
    secrets[name],
  ]);
  return { ...Object.fromEntries(defaults), ...env };
}

/** The caller of internal routes besides the services: `npm run admin`, and the creation of the demo. */
const operator = 'operator';

/** The name of `npm start`, all services in one process, as a caller. */
export const oneProcess = 'standalone';

/** The identities on internal routes, `decisions.md 18.1`. */
export interface Callers {
  /** Returns the settings of a process: its own token and the callers that it accepts. */
  settingsOf(caller: string): Env;
  operatorToken: string;
}

/**
 * Returns the tokens of the data directory for each of `names` and for the operator; if the environment has a token,
 * that is used for all. `serviceToken`, the shared token of earlier versions, opens the answers that it sealed, and
 * gives no access.
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
  const getSecretName = (caller: string) => `serviceToken.${caller}`;
  const callers = [...names, operator];
  const secrets = await readOrCreateSecrets(dataDir, ['serviceToken', ...callers.map(getSecretName)]);
  const getKeys = (caller: string) => {
    const value = secrets[getSecretName(caller)]!;
    return value.includes(':') ? value : `own:${value}`;
  };
  const parseTokens = (caller: string) => readKeys({ WAYBILL_SERVICE_TOKENS: getKeys(caller) }, serviceToken);
  const text = callersText(
    callers.flatMap((caller) =>
      parseTokens(caller).map(({ id, value }, i) => [i === 0 ? caller : `${caller}_${id}`, value] as const),
    ),
  );
  return {
    settingsOf: (caller) => ({
      WAYBILL_SERVICE_TOKENS: `${getKeys(caller)},shared:${secrets.serviceToken}`,
      WAYBILL_CALLERS: text,
    }),
    operatorToken: parseTokens(operator)[0]!.value,
  };
}

const serviceToken = 'WAYBILL_SERVICE_TOKEN';

/** Returns the setting that verifies signatures of the principal keys of `env`. */
export function principalPublicKeys(env: Env): Env {
  const name = 'WAYBILL_PRINCIPAL_KEY';
  const keys = keysFrom(name, readKeys(env, name), ed25519Key);
  if (!env[`${name}S`]) return { WAYBILL_PRINCIPAL_PUBLIC_KEY: publicKeyText(keys[0]!.key) };
  const texts = keys.map(({ id, key }) => `${id}:${publicKeyText(key)}`);
  return { WAYBILL_PRINCIPAL_PUBLIC_KEYS: texts.join(',') };
}
