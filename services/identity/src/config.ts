import type { KeyObject } from 'node:crypto';
import { demoReviewer, emailPattern } from '@waybill/contracts';
import {
  defineConfig,
  ed25519Key,
  type RateLimit,
  rateLimitSettings,
  readRateLimit,
  readSites,
  type ServiceContext,
  type Sites,
  siteSettings,
} from '@waybill/kernel';
import Type from 'typebox';
import type { Tables } from './tables.ts';

export interface Config {
  /** Signs the access tokens of users. */
  userTokenKey: KeyObject;
  /** The `iss` of those tokens. */
  issuer: string;
  /** Whose owners review apps, in lower case; nobody registers them from outside. */
  reviewerEmails: ReadonlySet<string>;
  /** What one address may register. */
  registerLimit: RateLimit;
  /** Where stores are reached. */
  sites: Sites;
}

export type Context = ServiceContext<Config, Tables>;

export const config = defineConfig(
  Type.Object({
    WAYBILL_USER_TOKEN_KEY: Type.String({ description: 'Seed of an Ed25519 key: 32 bytes in base64url.' }),
    ...siteSettings,
    PLATFORM_REVIEWER_EMAILS: Type.String({
      default: '',
      description: 'Who reviews app versions: e-mail addresses, separated by commas.',
    }),
    WAYBILL_DEMO: Type.Enum(['on', 'off'], {
      default: 'off',
      description: 'On: the reviewer of the demo is one, too. Off, that address is anybody’s to register.',
    }),
    ...rateLimitSettings,
  }),
  (env): Config => ({
    userTokenKey: readKey(env.WAYBILL_USER_TOKEN_KEY),
    issuer: env.PUBLIC_BASE_URL || 'waybill',
    sites: readSites(env),
    reviewerEmails: new Set([
      ...readEmails(env.PLATFORM_REVIEWER_EMAILS),
      ...(env.WAYBILL_DEMO === 'on' ? [demoReviewer] : []),
    ]),
    registerLimit: tenthOf(readRateLimit(env)),
  }),
);

function readKey(seed: string): KeyObject {
  try {
    return ed25519Key(seed);
  } catch (error) {
    throw new Error(`WAYBILL_USER_TOKEN_KEY: ${(error as Error).message}`);
  }
}

function readEmails(list: string): string[] {
  const emails = list
    .split(',')
    .map((email) => email.trim().toLowerCase())
    .filter(Boolean);
  const pattern = new RegExp(emailPattern, 'u');
  const wrong = emails.find((email) => !pattern.test(email));
  if (wrong) throw new Error(`PLATFORM_REVIEWER_EMAILS: ${JSON.stringify(wrong)} is not an e-mail address`);
  return emails;
}

/** `decisions.md 15.3`. */
function tenthOf({ perMinute, burst }: RateLimit): RateLimit {
  return { perMinute: Math.ceil(perMinute / 10), burst: Math.ceil(burst / 10) };
}
