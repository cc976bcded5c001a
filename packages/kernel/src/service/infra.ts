import type { KeyObject } from 'node:crypto';
import type { Cache } from '../cache/cache.ts';
import type { Bus } from '../events/bus.ts';
import type { Address } from '../http/server.ts';
import type { Env } from '../operations/config.ts';
import type { Caller } from '../operations/keys.ts';
import type { Log } from '../operations/log.ts';

/** The parts that differ between the topologies. */
export interface Infra {
  env: Env;
  log: Log;
  bus: Bus;
  cache: Cache;
  /** The PostgreSQL server; each service has a database `<namespace>_<service>` on it. */
  databaseUrl: string;
  /** The database URLs by service, if each service connects with a role of its own to its own database. */
  ownDatabaseUrls?: Readonly<Record<string, string>>;
  namespace: string;
  /**
   * Whether the process migrates its databases itself, or waits for `waitMs` milliseconds until that is done, and then
   * gives up: in production, migrating is a separate step, `decisions.md 18.3`.
   */
  migrations: 'run' | { waitMs: number };
  poolSize: number;
  /** The keys that verify the principals that the gateway signs. */
  principalKeys: readonly KeyObject[];
  /** The tokens with which this process identifies itself to other services, the current one first. */
  serviceTokens: readonly string[];
  /** The callers that may use internal routes: services, and first-party applications. */
  callers: readonly Caller[];
  /** The addresses of services in other processes; several replicas take turns. */
  peerUrls: Readonly<Record<string, readonly string[]>>;
  /** The public port's address; used if one of the services has a `front`. */
  listen: Address;
  /** The address of internal routes, metrics and health; port 0 means any free port. */
  internal: Address;
}
