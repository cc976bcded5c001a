import { hostHeader, isLoopback, ownOriginHeader } from '@waybill/kernel';
import { frameSources } from '@waybill/page';
import { styleSource } from '@waybill/page/node';
import type { RenderedPage } from './make.ts';

/** What one page may load beside what every page may. */
export interface Allowed {
  style: string;
  /** Of the store's theme. */
  sheet?: { storeSlug: string; file: string };
  /** Paths of its islands' modules. */
  modules: readonly string[];
  /** Where its islands may connect to, beside the page's own origin. */
  connectOrigins: readonly string[];
}

export function allowedFor(page: RenderedPage & { frameCss?: string }): Allowed {
  const { css, frameCss, islands, connectOrigins = [] } = page;
  const modules = [...new Set(islands.map(({ src }) => src))];
  return { style: styleSource(css, frameCss), modules, connectOrigins };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Whether the store is visited where paths have no `/s/{storeSlug}`. */
export const isAtOwnOrigin = (headers: Headers) => headers[ownOriginHeader] !== undefined;

/**
 * For a page that is shown where the API is, and other stores: it runs, but in an origin that is nobody's. What it opens
 * in another tab is free of that. `decisions.md 17.7`.
 */
const sandbox = 'sandbox allow-scripts allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox';

const isOnLoopback = (host: string): boolean => {
  const hostname = URL.parse(`http://${host}`)?.hostname ?? '';
  return isLoopback(hostname) || hostname.endsWith('.localhost');
};

/** Names of DNS and addresses of IPv4: a policy has no way to write others, so no script runs under those. */
const hosts = /^[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/i;

/**
 * The `Content-Security-Policy` of a page: of scripts the platform's own and the page's own modules run, and nothing
 * else of the same origin, where everybody's modules are. A policy cannot name a path alone, so it names the host that
 * the visitor asked. `decisions.md 4.4, 14.4`.
 */
export function policyFor({ style, sheet, modules, connectOrigins }: Allowed, headers: Headers): string {
  const host = String(headers[hostHeader] ?? headers.host);
  const isNamed = hosts.test(host);
  const below = isAtOwnOrigin(headers) ? '' : `/s/${sheet?.storeSlug}`;
  const sheets = sheet && isNamed ? ` ${host}${below}/${sheet.file}` : '';
  const scripts = isNamed ? ['/assets/', ...modules].map((path) => host + path) : ["'none'"];
  return [
    "default-src 'none'",
    `script-src ${scripts.join(' ')}`,
    // A worker has a policy of its own, not the page's.
    "worker-src 'none'",
    `style-src ${style}${sheets}`,
    "img-src 'self' https:",
    "media-src 'self' https:",
    "font-src 'self'",
    `connect-src ${["'self'", ...connectOrigins].join(' ')}`,
    `frame-src ${frameSources.join(' ')}`,
    // Forms lead on to where an order is paid: on one's own machine that may be an emulator of a provider.
    `form-action 'self' https:${isOnLoopback(host) ? ' http://127.0.0.1:*' : ''}`,
    "base-uri 'none'",
    "frame-ancestors 'self'",
    ...(isAtOwnOrigin(headers) ? [] : [sandbox]),
  ].join('; ');
}
