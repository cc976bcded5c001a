import type { KeyObject } from 'node:crypto';
import type { Cache } from '../cache/cache.ts';
import type { Bus } from '../events/bus.ts';
import type { Address } from '../http/server.ts';
import type { Env } from '../operations/config.ts';
import type { Caller } from '../operations/keys.ts';
import type { Log } from '../operations/log.ts';

/** What differs between the topologies. */
export interface Infra {
  env: Env;
  log: Log;
  bus: Bus;
  cache: Cache;
  /** The PostgreSQL server; each service has a database `<namespace>_<service>` on it. */
  databaseUrl: string;
  /** By service, where each connects as a role of its own to its own database. */
  ownDatabaseUrls?: Readonly<Record<string, string>>;
  namespace: string;
  /**
   * Whether it brings its databases up to date itself, or waits so many milliseconds for who does, and then gives up: in
   * production that is a step of its own, `decisions.md 18.3`.
   */
  migrations: 'run' | { waitMs: number };
  poolSize: number;
  /** Verify the principals that the gateway signs. */
  principalKeys: readonly KeyObject[];
  /** What this process names itself with to other services, the one to use first. */
  serviceTokens: readonly string[];
  /** Who may ask internal routes: services, and first-party applications. */
  callers: readonly Caller[];
  /** Where the services of other processes answer; several copies take turns. */
  peerUrls: Readonly<Record<string, readonly string[]>>;
  /** The public port's address; used when one with a `front` is among the services. */
  listen: Address;
  /** The address of internal routes, metrics and health; port 0: any free one. */
  internal: Address;
}
