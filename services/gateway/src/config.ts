import { join } from 'node:path';
import {
  defineConfig,
  isLoopback,
  keySettings,
  rateLimitSettings,
  readPrincipalKeys,
  readRateLimit,
  readSites,
  type ServiceContext,
  siteSettings,
} from '@waybill/kernel';
import Type from 'typebox';
import type { OwnOrigins } from './own-origins.ts';

const schema = Type.Object({
  ...keySettings('WAYBILL_PRINCIPAL_KEY', 'Signs principals: 32 bytes, base64url.'),
  ...rateLimitSettings,
  ...siteSettings,
  MAX_REQUESTS_IN_FLIGHT: Type.Integer({
    minimum: 1,
    default: 4000,
    description: 'Beyond it, and for a network that has more than are left: 503 at once.',
  }),
  READY_FILE: Type.Optional(
    Type.String({ description: '/healthz is 503 until this file exists: what the composition makes last.' }),
  ),
  WAYBILL_DEMO: Type.Enum(['on', 'off', 'full'], {
    default: 'off',
    description: 'Not off: the demo’s accounts are told on loopback.',
  }),
  WAYBILL_DATA_DIR: Type.String({ default: '.waybill', description: 'Where demo.json is.' }),
  TRUSTED_PROXY_HOPS: Type.Integer({
    minimum: 0,
    maximum: 10,
    default: 0,
    description: 'How many proxies in front of the gateway add to X-Forwarded-For.',
  }),
});

/** The gateway's settings, `decisions.md 1.12, 9.5`. */
export const config = defineConfig(schema, (env) => ({
  /** Of several the first: the services accept all. */
  principalKey: readPrincipalKeys(env)[0]!,
  rateLimit: readRateLimit(env),
  /** How many credentials that never were one address may have looked up. */
  guessesPerMinute: Math.ceil(env.RATE_LIMIT_PER_MINUTE / 10),
  sites: readSites(env),
  /** By which the system itself is reached; undefined: nobody has said. */
  systemHost: URL.parse(env.PUBLIC_BASE_URL)?.hostname,
  /** Where clients reach the system; empty while nobody has said. */
  baseUrl: env.PUBLIC_BASE_URL.replace(/(?<!\/)\/+$/, ''),
  maxRequestsInFlight: env.MAX_REQUESTS_IN_FLIGHT,
  readyFile: env.READY_FILE,
  /** Null: nobody is told of a demo. */
  demoFile: hasDemo(env) ? join(env.WAYBILL_DATA_DIR, 'demo.json') : null,
  trustedProxyHops: env.TRUSTED_PROXY_HOPS,
}));

/** What has a name that others can use is no developer's own. */
function hasDemo({
  WAYBILL_DEMO,
  PUBLIC_BASE_URL,
}: {
  WAYBILL_DEMO: string;
  PUBLIC_BASE_URL: string;
}): boolean {
  const base = URL.parse(PUBLIC_BASE_URL);
  return WAYBILL_DEMO !== 'off' && (PUBLIC_BASE_URL === '' || (base !== null && isLoopback(base.hostname)));
}

export type Config = ReturnType<(typeof config)['read']>;

/** What one copy of the gateway keeps in memory. */
export interface State {
  ownOrigins: OwnOrigins;
}
export type Context = ServiceContext<Config, unknown, State>;
