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
    description:
      'Requests beyond this limit get 503 at once, as do those of a network with more open requests than remain free.',
  }),
  READY_FILE: Type.Optional(
    Type.String({ description: '/healthz is 503 until this file exists; the composition creates it last.' }),
  ),
  WAYBILL_DEMO: Type.Enum(['on', 'off', 'full'], {
    default: 'off',
    description: 'Unless off, the demo’s accounts are served on loopback.',
  }),
  WAYBILL_DATA_DIR: Type.String({ default: '.waybill', description: 'The folder of demo.json.' }),
  TRUSTED_PROXY_HOPS: Type.Integer({
    minimum: 0,
    maximum: 10,
    default: 0,
    description: 'The number of proxies in front of the gateway that append to X-Forwarded-For.',
  }),
});

/** The gateway's settings: `decisions.md 1.12, 9.5`. */
export const config = defineConfig(schema, (env) => ({
  /** Signs with the first key; the services accept all keys. */
  principalKey: readPrincipalKeys(env)[0]!,
  rateLimit: readRateLimit(env),
  /** Number of failed look-ups of unknown credentials that an address may cause per minute. */
  guessesPerMinute: Math.ceil(env.RATE_LIMIT_PER_MINUTE / 10),
  sites: readSites(env),
  /** Host name of the system itself; undefined if it is not configured. */
  systemHost: URL.parse(env.PUBLIC_BASE_URL)?.hostname,
  /** URL at which clients reach the system; empty if it is not configured. */
  baseUrl: env.PUBLIC_BASE_URL.replace(/(?<!\/)\/+$/, ''),
  maxRequestsInFlight: env.MAX_REQUESTS_IN_FLIGHT,
  readyFile: env.READY_FILE,
  /** File with the demo's accounts; null: they are never shown. */
  demoFile: hasDemo(env) ? join(env.WAYBILL_DATA_DIR, 'demo.json') : null,
  trustedProxyHops: env.TRUSTED_PROXY_HOPS,
}));

/** Whether the demo is on, which is only for a developer's own machine, and so requires a loopback address or none. */
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

/** In-memory state of one copy of the gateway. */
export interface State {
  ownOrigins: OwnOrigins;
}
export type Context = ServiceContext<Config, unknown, State>;
