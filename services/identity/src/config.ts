import { hkdfSync, type KeyObject } from 'node:crypto';
import { Resolver } from 'node:dns';
import { join, resolve } from 'node:path';
import { demoReviewer, parseEmail } from '@waybill/contracts';
import {
  defineConfig,
  ed25519Key,
  type FairSemaphore,
  type KeyEnv,
  keySettings,
  keysFrom,
  type NamedKey,
  type RateLimit,
  rateLimitSettings,
  readKeys,
  readRateLimit,
  readSites,
  type ServiceContext,
  type Sites,
  siteSettings,
  type WriteContext,
} from '@waybill/kernel';
import type { SealingKeys } from '@waybill/outbound';
import addressparser from 'nodemailer/lib/addressparser';
import Type from 'typebox';
import type { MailRenderer } from './customer-mails/rendering/renderer.ts';
import type { Records } from './domains/records.ts';
import type { MailSettings, Transport } from './mail/transport.ts';
import type { Tables } from './tables.ts';

export interface Config {
  /** Keys for the access tokens of users: the first one signs, all of them verify. */
  userTokenKeys: readonly KeyObject[];
  /** Keys that seal the secrets of second factors, derived from the same setting. */
  sealingKeys: SealingKeys;
  /** The `iss` claim of those tokens. */
  issuer: string;
  /** Addresses whose owners review apps, in lower case; outsiders cannot register them. */
  reviewerEmails: ReadonlySet<string>;
  /** Limit per network for actions that need no credential: registering and requesting mails. */
  accountLimit: RateLimit;
  /** Where mails go. */
  mail: MailSettings;
  /** Seconds before the second, third, … attempt to send a mail. After the last attempt the mail is given up. */
  mailRetryDelays: readonly number[];
  /** Address at which clients reach the system; null if not configured. */
  publicUrl: URL | null;
  /** Base URL of the links in mails. */
  consoleUrl: string;
  /** Addresses of stores. */
  sites: Sites;
  /** DNS servers for the records of domains; empty means those of the operating system. */
  dnsServers: readonly string[];
}

const defaultSender = 'Waybill <no-reply@waybill.invalid>';

/** In-memory state of one copy of the service. */
export interface State {
  mail: Transport;
  customerMails: MailRenderer;
  records: Records;
  /** Separate queues, so that a crowd of registrations does not delay logins. */
  hashing: { login: FairSemaphore; other: FairSemaphore };
}
export type Context = ServiceContext<Config, Tables, State>;
/** A write to the service's database. */
export type Write = WriteContext<Tables>;

export const config = defineConfig(
  Type.Object({
    ...keySettings(
      'WAYBILL_USER_TOKEN_KEY',
      'Seed of an Ed25519 key: 32 bytes in base64url. The key that seals second factors is made of it, too: without ' +
        'the one that sealed them only their recovery codes are good.',
    ),
    ...siteSettings,
    PLATFORM_REVIEWER_EMAILS: Type.String({
      default: '',
      description: 'The e-mail addresses of reviewers of app versions, separated by commas.',
    }),
    WAYBILL_DEMO: Type.Enum(['on', 'off', 'full'], {
      default: 'off',
      description:
        'Unless off, the demo’s reviewer is also a reviewer. If off, anyone can register that address.',
    }),
    SMTP_URL: Type.String({
      default: '',
      pattern: '^$|^smtps?://[^/?#\\s]+',
      description:
        'The mail server: smtp:// (uses STARTTLS if the server supports it, and always with ?requireTLS=true) or ' +
        'smtps://, with user and password as in any URL. Without it, mails are written as files below ' +
        'WAYBILL_DATA_DIR.',
    }),
    MAIL_FROM: Type.String({
      default: defaultSender,
      description: 'The sender of mails: an address, or a name followed by an address in <>.',
    }),
    MAIL_RETRY_DELAYS_SECONDS: Type.String({
      default: '60,300,1800,7200',
      description: 'The delays before further attempts to send a mail, separated by commas.',
    }),
    WAYBILL_DATA_DIR: Type.String({
      default: '.waybill',
      description: 'The folder for mails without SMTP_URL.',
    }),
    DNS_SERVERS: Type.String({
      default: '',
      description:
        'The DNS servers that look up records of domains: address:port,…; the system’s servers by default.',
    }),
    ...rateLimitSettings,
  }),
  (env): Config => ({
    ...readUserTokenKeys(env),
    issuer: env.PUBLIC_BASE_URL || 'waybill',
    sites: readSites(env),
    dnsServers: readServers(env.DNS_SERVERS),
    reviewerEmails: new Set([
      ...readEmails(env.PLATFORM_REVIEWER_EMAILS),
      ...(env.WAYBILL_DEMO !== 'off' ? [demoReviewer] : []),
    ]),
    accountLimit: divideLimitByTen(readRateLimit(env)),
    mail: {
      smtpUrl: readSmtpUrl(env),
      from: readSender(env.MAIL_FROM),
      folder: join(resolve(env.WAYBILL_DATA_DIR), 'mail'),
    },
    mailRetryDelays: readDelays(env.MAIL_RETRY_DELAYS_SECONDS),
    publicUrl: URL.parse(env.PUBLIC_BASE_URL),
    consoleUrl: `${env.PUBLIC_BASE_URL.replace(/(?<!\/)\/+$/, '')}/console`,
  }),
);

function readUserTokenKeys(
  env: KeyEnv<'WAYBILL_USER_TOKEN_KEY'>,
): Pick<Config, 'userTokenKeys' | 'sealingKeys'> {
  const keys = readKeys(env, userTokenKey);
  return {
    userTokenKeys: keysFrom(userTokenKey, keys, ed25519Key).map(({ key }) => key),
    sealingKeys: createSealingKeys(keys),
  };
}

export const userTokenKey = 'WAYBILL_USER_TOKEN_KEY';

/** Derives the keys that seal the secrets of second factors from the keys of the setting. */
export const createSealingKeys = (keys: readonly NamedKey[]): SealingKeys =>
  keysFrom(
    userTokenKey,
    keys,
    (seed) =>
      new Uint8Array(
        hkdfSync('sha256', Buffer.from(seed, 'base64url'), '', 'waybill secrets of second factors', 32),
      ),
  );

function readEmails(list: string): string[] {
  const emails = list
    .split(',')
    .map((email) => email.trim().toLowerCase())
    .filter(Boolean);
  const wrong = emails.find((email) => parseEmail(email) === null);
  if (wrong) throw new Error(`PLATFORM_REVIEWER_EMAILS: ${JSON.stringify(wrong)} is not an e-mail address`);
  return emails.map((email) => parseEmail(email)!);
}

/** A tenth of a limit: `decisions.md 15.3`. */
function divideLimitByTen({ perMinute, burst }: RateLimit): RateLimit {
  return { perMinute: Math.ceil(perMinute / 10), burst: Math.ceil(burst / 10) };
}

/** Reads the URL of the mail server; null if there is none. */
function readSmtpUrl({ SMTP_URL, MAIL_FROM }: { SMTP_URL: string; MAIL_FROM: string }): string | null {
  if (!SMTP_URL) return null;
  if (!URL.parse(SMTP_URL)?.hostname) throw new Error('SMTP_URL: must be an smtp or smtps URL');
  if (MAIL_FROM === defaultSender) throw new Error('MAIL_FROM: must be set where SMTP_URL is');
  return SMTP_URL;
}

function readSender(text: string): MailSettings['from'] {
  const [sender, ...others] = addressparser(text);
  if (others.length > 0 || parseEmail(sender?.address ?? '') === null)
    throw new Error('MAIL_FROM: must be an e-mail address, or a name and an address in <>');
  return { name: sender!.name, address: sender!.address! };
}

function readServers(list: string): string[] {
  const servers = list
    .split(',')
    .map((server) => server.trim())
    .filter(Boolean);
  try {
    if (servers.length > 0) new Resolver().setServers(servers);
  } catch {
    throw new Error('DNS_SERVERS: must be IP addresses, each with a port perhaps, separated by commas');
  }
  return servers;
}

function readDelays(list: string): number[] {
  const delays = list.split(',').map((text) => Number(text.trim() || Number.NaN));
  if (delays.length > 20 || !delays.every((seconds) => seconds >= 0 && seconds <= 86_400))
    throw new Error(
      'MAIL_RETRY_DELAYS_SECONDS: must be up to 20 numbers of seconds, a day at most, separated by commas',
    );
  return delays;
}
