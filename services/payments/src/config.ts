import { defineConfig, keySettings, readKeys, type ServiceContext, type WriteContext } from '@waybill/kernel';
import { createEncryptionKeys, type SealingKeys } from '@waybill/outbound';
import Type from 'typebox';
import { readDelays } from './lookups/schedule.ts';
import type { Tables } from './tables.ts';

const encryptionKey = 'WAYBILL_PAYMENT_ENCRYPTION_KEY';

const schema = Type.Object({
  ...keySettings(encryptionKey, 'Encrypts providers’ secrets: 32 bytes, base64url.'),
  STRIPE_API_URL: Type.String({
    default: 'https://api.stripe.com',
    description: 'The address of Stripe, or of an emulator.',
  }),
  PAYMENT_LOOKUP_DELAYS_SECONDS: Type.String({
    default: '',
    description:
      'The times after its start at which an undecided payment is checked at its provider, in seconds: ' +
      '`60,300,1800`. By default after 1, 5 and 30 minutes, then each hour for three days.',
  }),
  PAYMENTS_RESUME: Type.Enum(['on', 'off'], {
    default: 'off',
    description: '`on`: a system restored from a backup resumes calls to payment providers.',
  }),
  PUBLIC_BASE_URL: Type.Optional(
    Type.String({
      description: 'The base URL of addresses for providers: the URL where clients reach the system.',
    }),
  ),
});

export interface Config {
  encryptionKeys: SealingKeys;
  /** Without a slash at the end. */
  stripeUrl: URL;
  /** In seconds after the start of a payment. */
  lookUpDelays: readonly number[];
  /** Whether providers are called again after a restore. */
  resumes: boolean;
  /** Without a slash at the end. */
  publicUrl: string;
}

/** The settings of payments: `decisions.md 22.1`. */
export const config = defineConfig(schema, (env): Config => {
  const stripeUrl = URL.parse(env.STRIPE_API_URL);
  if (!stripeUrl || !/^https?:$/.test(stripeUrl.protocol)) {
    throw new Error('STRIPE_API_URL: must be an http or https URL');
  }
  return {
    encryptionKeys: createEncryptionKeys(readKeys(env, encryptionKey), encryptionKey),
    stripeUrl,
    lookUpDelays: readDelays(env.PAYMENT_LOOKUP_DELAYS_SECONDS),
    resumes: env.PAYMENTS_RESUME === 'on',
    publicUrl: (env.PUBLIC_BASE_URL ?? 'http://127.0.0.1:8080').replace(/(?<!\/)\/+$/, ''),
  };
});

export type Context = ServiceContext<Config, Tables>;
/** A write to the service's database. */
export type Write = WriteContext<Tables>;
