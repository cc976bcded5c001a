import type { Rights } from '@waybill/contracts';
import { LRUCache } from 'lru-cache';

/** The services that answer about rights: identity for keys and users, app-platform for apps. */
export type RightsSource = 'identity' | 'app-platform';

/** How long an entry is kept, in case a change of its epoch is lost. */
const maxAgeMs = 30_000;

/** Caches the rights of holders under their stores' epochs, and remembers services that did not answer. */
export class RightsCache {
  readonly entries = new LRUCache<string, { epoch: string; rights: Rights }>({ max: 50_000, ttl: maxAgeMs });
  readonly unavailableUntil = new Map<RightsSource, number>();
}
