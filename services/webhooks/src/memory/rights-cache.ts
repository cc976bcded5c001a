import type { Rights } from '@waybill/contracts';
import { LRUCache } from 'lru-cache';

/** The services that answer about rights: of keys and users, and of apps. */
export type RightsSource = 'identity' | 'app-platform';

/** An entry expires after this time, in case a change of its epoch is lost. */
const maxAgeMs = 30_000;

/** Caches the rights of holders under their stores' epochs, and remembers which service did not answer. */
export class RightsCache {
  readonly entries = new LRUCache<string, { epoch: string; rights: Rights }>({ max: 50_000, ttl: maxAgeMs });
  readonly unavailableUntil = new Map<RightsSource, number>();
}
