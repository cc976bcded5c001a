import { hkdfSync, type KeyObject } from 'node:crypto';
import { Resolver } from 'node:dns';
import { join, resolve } from 'node:path';
import { demoReviewer, readEmail } from '@waybill/contracts';
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
  /** Sign the access tokens of users: the first does, all verify. */
  userTokenKeys: readonly KeyObject[];
  /** Seal the secrets of second factors, made of the same setting. */
  sealingKeys: SealingKeys;
  /** The `iss` of those tokens. */
  issuer: string;
  /** Whose owners review apps, in lower case; nobody registers them from outside. */
  reviewerEmails: ReadonlySet<string>;
  /** What one network may ask of what anybody may ask: to register, and to be mailed. */
  accountLimit: RateLimit;
  /** Where mails go. */
  mail: MailSettings;
  /** Seconds until the second attempt to send a mail, the third, …; after the last it is given up. */
  mailRetryDelays: readonly number[];
  /** Where clients reach the system; null: nobody has said. */
  publicUrl: URL | null;
  /** Where links of mails lead to. */
  consoleUrl: string;
  /** Where stores are reached. */
  sites: Sites;
  /** Who is asked for records of domains; empty: whom the system asks. */
  dnsServers: readonly string[];
}

const defaultSender = 'Waybill <no-reply@waybill.invalid>';

/** What one copy of the service keeps in memory. */
export interface State {
  mail: Transport;
  customerMails: MailRenderer;
  records: Records;
  /** Apart, so that no crowd that registers holds up those who sign in. */
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
      description: 'Who reviews app versions: e-mail addresses, separated by commas.',
    }),
    WAYBILL_DEMO: Type.Enum(['on', 'off', 'full'], {
      default: 'off',
      description:
        'Not off: the reviewer of the demo is one, too. Off, that address is anybody’s to register.',
    }),
    SMTP_URL: Type.String({
      default: '',
      pattern: '^$|^smtps?://[^/?#\\s]+',
      description:
        'The mail server: smtp:// (STARTTLS where the server has it, and always with ?requireTLS=true) or smtps://, with ' +
        'user and password as in any URL. Without it mails are files below WAYBILL_DATA_DIR.',
    }),
    MAIL_FROM: Type.String({
      default: defaultSender,
      description: 'The sender of mails: an address, or a name with one in <>.',
    }),
    MAIL_RETRY_DELAYS_SECONDS: Type.String({
      default: '60,300,1800,7200',
      description: 'Until each further attempt to send a mail, separated by commas.',
    }),
    WAYBILL_DATA_DIR: Type.String({
      default: '.waybill',
      description: 'Mails are kept below it without SMTP_URL.',
    }),
    DNS_SERVERS: Type.String({
      default: '',
      description:
        'Who is asked for the records of domains: address:port,…; the system’s servers by default.',
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
    accountLimit: tenthOf(readRateLimit(env)),
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
    sealingKeys: sealingKeysOf(keys),
  };
}

export const userTokenKey = 'WAYBILL_USER_TOKEN_KEY';

/** What keys of that setting seal the secrets of second factors with. */
export const sealingKeysOf = (keys: readonly NamedKey[]): SealingKeys =>
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
  const wrong = emails.find((email) => readEmail(email) === null);
  if (wrong) throw new Error(`PLATFORM_REVIEWER_EMAILS: ${JSON.stringify(wrong)} is not an e-mail address`);
  return emails.map((email) => readEmail(email)!);
}

/** `decisions.md 15.3`. */
function tenthOf({ perMinute, burst }: RateLimit): RateLimit {
  return { perMinute: Math.ceil(perMinute / 10), burst: Math.ceil(burst / 10) };
}

/** Null: there is no mail server. */
function readSmtpUrl({ SMTP_URL, MAIL_FROM }: { SMTP_URL: string; MAIL_FROM: string }): string | null {
  if (!SMTP_URL) return null;
  if (!URL.parse(SMTP_URL)?.hostname) throw new Error('SMTP_URL: must be an smtp or smtps URL');
  if (MAIL_FROM === defaultSender) throw new Error('MAIL_FROM: must be set where SMTP_URL is');
  return SMTP_URL;
}

function readSender(text: string): MailSettings['from'] {
  const [sender, ...others] = addressparser(text);
  if (others.length > 0 || readEmail(sender?.address ?? '') === null)
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
