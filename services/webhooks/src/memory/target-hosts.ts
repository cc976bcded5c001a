import { getPort, isTrusted, resolveHost, type TrustedTarget } from '@waybill/outbound';
import { LRUCache } from 'lru-cache';

const trustCacheMs = 60_000;

/** Determines the host that a URL's calls count for. Trusted targets count for none. */
export class TargetHosts {
  readonly #targets: readonly TrustedTarget[];
  readonly #trustCache = new LRUCache<string, boolean>({ max: 10_000, ttl: trustCacheMs });

  constructor(targets: readonly TrustedTarget[]) {
    this.#targets = targets;
  }

  /** Returns the normalized host name; null for a trusted target. */
  parseHost(text: string): string | null {
    const url = URL.parse(text);
    if (url === null || this.#isTrusted(url)) return null;
    return url.hostname.replace(/\.$/, '');
  }

  /**
   * Whether a URL is trusted. A name that is not resolved yet counts as untrusted, because nothing here waits for a
   * name server.
   */
  #isTrusted(url: URL): boolean {
    if (this.#targets.length === 0) return false;
    const cached = this.#trustCache.get(url.host);
    if (cached !== undefined) return cached;
    this.#trustCache.set(url.host, false);
    void resolveHost(url.hostname).then((found) => {
      const addresses = found === 'unresolved' ? [] : found;
      const port = getPort(url);
      this.#trustCache.set(
        url.host,
        addresses.some((ip) => isTrusted(this.#targets, ip, port)),
      );
    });
    return false;
  }
}
