import Type from 'typebox';

/** Says to who renders pages that a visit came to its store's own origin, where paths have no `/s/{storeSlug}`. */
export const ownOriginHeader = 'x-waybill-own-origin';

/** The settings of whoever knows where stores are reached, `decisions.md 17.7`. */
export const siteSettings = {
  PUBLIC_BASE_URL: Type.String({ default: '', description: 'Where clients reach the system.' }),
  SITES_DOMAIN: Type.String({
    default: '',
    pattern: '^$|^(?:[A-Za-z0-9-]{1,63}\\.)*[A-Za-z][A-Za-z0-9-]{0,62}$',
    description:
      'Below it each store has an origin of its own; `off`: none has. `localhost` where PUBLIC_BASE_URL is on ' +
      'loopback or unset, otherwise `off`.',
  }),
};

/** Where stores are reached: each at an origin of its own, or below `/s/{storeSlug}` alone. */
export interface Sites {
  /** Null: no store has an origin of its own. */
  domain: string | null;
  /** The name below that domain where the system itself is reached, and so no store; mostly empty. */
  reserved: string;
  /**
   * The origin of a store's own; null where it has none: its slug is longer than a name in DNS, or the system itself
   * is reached there. `localPort` is the one to name while nobody has said where the system is reached.
   */
  originOf(storeSlug: string, localPort?: number): string | null;
  /**
   * What answers of the API name as a store's address, with a slash at the end: its own origin, but with `localhost` what
   * is below `/s`, which every client can resolve; a path alone while nobody has said where the system is reached.
   */
  addressOf(storeSlug: string): string;
  /** Of a request's `Host`, what stands in front of the domain of stores; null: the system itself is meant. */
  slugOf(host: string | undefined): string | null;
}

/** How long a name in DNS may be: RFC 1035, 2.3.4. */
export const maxLabelLength = 63;

export function readSites(env: { PUBLIC_BASE_URL: string; SITES_DOMAIN: string }): Sites {
  const base = URL.parse(env.PUBLIC_BASE_URL);
  const local = !base || isLoopback(base.hostname) ? 'localhost' : 'off';
  const setting = (env.SITES_DOMAIN || local).toLowerCase();
  const domain = setting === 'off' ? null : setting;
  const below = (hostname: string) =>
    domain && hostname.endsWith(`.${domain}`) ? hostname.slice(0, -domain.length - 1) : '';
  const reserved = below(base?.hostname ?? '');
  function originOf(storeSlug: string, localPort?: number): string | null {
    if (!domain || storeSlug.length > maxLabelLength || storeSlug === reserved) return null;
    const port = base ? base.port : localPort;
    return `${base?.protocol ?? 'http:'}//${storeSlug}.${domain}${port ? `:${port}` : ''}`;
  }
  return {
    domain,
    reserved,
    originOf,
    addressOf(storeSlug) {
      const own = domain === 'localhost' ? null : originOf(storeSlug);
      return `${own ?? `${env.PUBLIC_BASE_URL.replace(/(?<!\/)\/+$/, '')}/s/${storeSlug}`}/`;
    },
    slugOf(host = '') {
      const slug = below(host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, ''));
      return slug && slug !== reserved ? slug : null;
    },
  };
}

/** Whether a host's name leads to the machine that it is used on. */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
