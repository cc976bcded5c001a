import { hostHeader, isLoopback, ownOriginHeader } from '@waybill/kernel';
import { frameSources } from '@waybill/page';
import { styleSource } from '@waybill/page/node';
import type { RenderedPage } from './render-page.ts';

/** The resources that one page may load besides those that every page may. */
export interface AllowedResources {
  style: string;
  /** The style sheet of the store's theme. */
  sheet?: { storeSlug: string; file: string };
  /** Paths of its islands' modules. */
  modules: readonly string[];
  /** The origins that its islands may connect to, besides the page's own. */
  connectOrigins: readonly string[];
}

/** Lists what the page may load: its styles, the modules of its islands, and the origins that these connect to. */
export function allowedFor(page: RenderedPage & { layoutCss?: string }): AllowedResources {
  const { css, layoutCss, islands, connectOrigins = [] } = page;
  const modules = [...new Set(islands.map(({ src }) => src))];
  return { style: styleSource(css, layoutCss), modules, connectOrigins };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Whether the visit came to the store's own origin, where paths have no `/s/{storeSlug}`. */
export const isAtOwnOrigin = (headers: Headers) => headers[ownOriginHeader] !== undefined;

/**
 * Policy for pages shown at the origin of the API and of other stores: their scripts run, but in an opaque origin.
 * Pages that they open in another tab are not restricted (`decisions.md 17.7`).
 */
const sandbox = 'sandbox allow-scripts allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox';

const isOnLoopback = (host: string): boolean => {
  const hostname = URL.parse(`http://${host}`)?.hostname ?? '';
  return isLoopback(hostname) || hostname.endsWith('.localhost');
};

/** Matches DNS names and IPv4 addresses. A policy cannot express others, so no script runs under those. */
const hosts = /^[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/i;

/**
 * Builds the `Content-Security-Policy` of a page. Only the platform's scripts and the page's own modules run, nothing
 * else of the same origin, which serves everybody's modules. A policy cannot name a path alone, so it names the host of
 * the request (`decisions.md 4.4, 14.4`).
 */
export function policyFor(
  { style, sheet, modules, connectOrigins }: AllowedResources,
  headers: Headers,
): string {
  const host = String(headers[hostHeader] ?? headers.host);
  const isNamed = hosts.test(host);
  const below = isAtOwnOrigin(headers) ? '' : `/s/${sheet?.storeSlug}`;
  const sheets = sheet && isNamed ? ` ${host}${below}/${sheet.file}` : '';
  const scripts = isNamed ? ['/assets/', ...modules].map((path) => host + path) : ["'none'"];
  return [
    "default-src 'none'",
    `script-src ${scripts.join(' ')}`,
    // A worker would have a policy of its own instead of the page's.
    "worker-src 'none'",
    `style-src ${style}${sheets}`,
    "img-src 'self' https:",
    "media-src 'self' https:",
    "font-src 'self'",
    `connect-src ${["'self'", ...connectOrigins].join(' ')}`,
    `frame-src ${frameSources.join(' ')}`,
    // Forms redirect to payment pages, which on a developer's machine may be an emulator of a provider.
    `form-action 'self' https:${isOnLoopback(host) ? ' http://127.0.0.1:*' : ''}`,
    "base-uri 'none'",
    "frame-ancestors 'self'",
    ...(isAtOwnOrigin(headers) ? [] : [sandbox]),
  ].join('; ');
}
