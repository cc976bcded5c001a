import { type KeyEnv, keySettings, keysFrom, type NamedKey, readKeys } from '@waybill/kernel';
import Type from 'typebox';
import { parseTrustedTargets, type TrustedTarget } from './address.ts';
import type { SealingKeys } from './secret-box.ts';

/** The setting of every service that accepts or calls URLs of others. */
export const trustedTargetsSetting = {
  WEBHOOK_TRUSTED_TARGETS: Type.String({
    default: '',
    description: 'What is exempt from the address rule: `address/prefix:port`, separated by commas.',
  }),
};

/** The environment variables that webhooks and delivery must agree on. */
export const outboundSettings = {
  ...keySettings('WAYBILL_WEBHOOK_ENCRYPTION_KEY', 'Encrypts signing secrets: 32 bytes, base64url.'),
  ...trustedTargetsSetting,
};

/** Parses the outbound settings; throws a one-line error that names the variable (`decisions.md 6.2`). */
export function readOutboundSettings(
  env: KeyEnv<'WAYBILL_WEBHOOK_ENCRYPTION_KEY'> & { WEBHOOK_TRUSTED_TARGETS: string },
): {
  encryptionKeys: SealingKeys;
  trustedTargets: TrustedTarget[];
} {
  return {
    encryptionKeys: createEncryptionKeys(readKeys(env, encryptionKey)),
    trustedTargets: readTrustedTargets(env),
  };
}

const encryptionKey = 'WAYBILL_WEBHOOK_ENCRYPTION_KEY';

/** Turns the keys of a setting into sealing keys; throws a one-line error that names the setting. */
export const createEncryptionKeys = (keys: readonly NamedKey[], setting = encryptionKey): SealingKeys =>
  keysFrom(setting, keys, (text) => {
    const key = Buffer.from(text, 'base64url');
    if (key.length !== 32) throw new Error('must be 32 bytes in base64url');
    return key;
  });

/** Parses the trusted targets; throws a one-line error that names the variable (`decisions.md 6.2`). */
export function readTrustedTargets(env: { WEBHOOK_TRUSTED_TARGETS: string }): TrustedTarget[] {
  try {
    return parseTrustedTargets(env.WEBHOOK_TRUSTED_TARGETS);
  } catch (error) {
    throw new Error(`WEBHOOK_TRUSTED_TARGETS: ${(error as Error).message}`);
  }
}
