import Type from 'typebox';

/**
 * The header that tells the renderer of pages that a visit came to its store's own origin, where paths have no
 * `/s/{storeSlug}`.
 */
export const ownOriginHeader = 'x-waybill-own-origin';

/** The settings of services that know the addresses of stores, `decisions.md 17.7`. */
export const siteSettings = {
  PUBLIC_BASE_URL: Type.String({ default: '', description: 'The URL where clients reach the system.' }),
  SITES_DOMAIN: Type.String({
    default: '',
    pattern: '^$|^(?:[A-Za-z0-9-]{1,63}\\.)*[A-Za-z][A-Za-z0-9-]{0,62}$',
    description:
      'Each store has its own origin below this domain; `off`: none has. `localhost` if PUBLIC_BASE_URL is on ' +
      'loopback or unset, otherwise `off`.',
  }),
};

/** The addresses of stores: each has an origin of its own, or only a path below `/s/{storeSlug}`. */
export interface Sites {
  /** Null if no store has an origin of its own. */
  domain: string | null;
  /** The name below that domain at which the system itself is reached, and so no store; usually empty. */
  reserved: string;
  /**
   * Returns a store's own origin; null if it has none, because its slug is too long for a name in DNS, or because the
   * system itself is reached there. `localPort` is used while the system's own address is not configured.
   */
  findOrigin(storeSlug: string, localPort?: number): string | null;
  /**
   * Returns the address of a store in answers of the API, with a slash at the end: its own origin; with `localhost` the
   * path below `/s`, which every client can resolve; only a path while the system's own address is not configured.
   */
  getAddress(storeSlug: string): string;
  /**
   * Returns the part of a request's `Host` before the domain of stores; null if the request is for the system itself.
   */
  findSlug(host: string | undefined): string | null;
}

/** Maximum length of a name in DNS: RFC 1035, 2.3.4. */
export const maxLabelLength = 63;

/** Reads the addresses under which stores have origins of their own from the settings. */
export function readSites(env: { PUBLIC_BASE_URL: string; SITES_DOMAIN: string }): Sites {
  const base = URL.parse(env.PUBLIC_BASE_URL);
  const local = !base || isLoopback(base.hostname) ? 'localhost' : 'off';
  const setting = (env.SITES_DOMAIN || local).toLowerCase();
  const domain = setting === 'off' ? null : setting;
  const parseSubdomain = (hostname: string) =>
    domain && hostname.endsWith(`.${domain}`) ? hostname.slice(0, -domain.length - 1) : '';
  const reserved = parseSubdomain(base?.hostname ?? '');
  function findOrigin(storeSlug: string, localPort?: number): string | null {
    if (!domain || storeSlug.length > maxLabelLength || storeSlug === reserved) return null;
    const port = base ? base.port : localPort;
    return `${base?.protocol ?? 'http:'}//${storeSlug}.${domain}${port ? `:${port}` : ''}`;
  }
  return {
    domain,
    reserved,
    findOrigin,
    getAddress(storeSlug) {
      const ownOrigin = domain === 'localhost' ? null : findOrigin(storeSlug);
      return `${ownOrigin ?? `${env.PUBLIC_BASE_URL.replace(/(?<!\/)\/+$/, '')}/s/${storeSlug}`}/`;
    },
    findSlug(host = '') {
      const slug = parseSubdomain(host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, ''));
      return slug && slug !== reserved ? slug : null;
    },
  };
}

/** Whether a host name leads to the machine on which it is used. */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
