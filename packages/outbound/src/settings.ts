import Type from 'typebox';
import { parseTrustedTargets, type TrustedTarget } from './address.ts';

/** Whoever takes URLs to be called, or calls them, goes by this. */
export const trustedTargetsSetting = {
  WEBHOOK_TRUSTED_TARGETS: Type.String({
    default: '',
    description: 'What is exempt from the address rule: `address/prefix:port`, separated by commas.',
  }),
};

/** The environment variables that webhooks and delivery must agree on. */
export const outboundSettings = {
  WAYBILL_WEBHOOK_ENCRYPTION_KEY: Type.String({
    description: 'Encrypts signing secrets: 32 bytes, base64url.',
  }),
  ...trustedTargetsSetting,
};

/** Parses them; throws an error of one line that names the variable. `decisions.md 6.2`. */
export function readOutboundSettings(env: {
  WAYBILL_WEBHOOK_ENCRYPTION_KEY: string;
  WEBHOOK_TRUSTED_TARGETS: string;
}): { encryptionKey: Buffer; trustedTargets: TrustedTarget[] } {
  const encryptionKey = Buffer.from(env.WAYBILL_WEBHOOK_ENCRYPTION_KEY, 'base64url');
  if (encryptionKey.length !== 32)
    throw new Error('WAYBILL_WEBHOOK_ENCRYPTION_KEY: must be 32 bytes in base64url');
  return { encryptionKey, trustedTargets: readTrustedTargets(env) };
}

/** Parses it; throws an error of one line that names the variable. `decisions.md 6.2`. */
export function readTrustedTargets(env: { WEBHOOK_TRUSTED_TARGETS: string }): TrustedTarget[] {
  try {
    return parseTrustedTargets(env.WEBHOOK_TRUSTED_TARGETS);
  } catch (error) {
    throw new Error(`WEBHOOK_TRUSTED_TARGETS: ${(error as Error).message}`);
  }
}
