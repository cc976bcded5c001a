import type { PageFacts } from './facts.ts';
import type { Json } from './model.ts';
import type { Link } from './resolved.ts';
import { cleanText } from './text.ts';
import { safeUrl } from './url.ts';

/**
 * Returns the URL that a link currently leads to; undefined if it leads nowhere, for example to a page that is not
 * live.
 */
export function resolveLink(value: Json | undefined, facts: PageFacts): Link | undefined {
  const url = typeof value === 'string' ? value : resolveTarget(value, facts);
  return resolveUrl(url, (value as { newTab?: Json } | null | undefined)?.newTab === true);
}

/** Converts a URL to a link; undefined if it may not be followed. */
export function resolveUrl(url: string | undefined, newTab = false): Link | undefined {
  const safe = url === undefined || url === '' ? undefined : safeUrl(cleanText(url));
  return safe === undefined || safe === '' ? undefined : { url: safe, newTab };
}

function resolveTarget(value: Json | undefined, facts: PageFacts): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const link = value as Record<string, Json>;
  switch (link.type) {
    case 'page': {
      const path = facts.pages.get(String(link.pageId));
      return path === undefined || !link.anchorId ? path : `${path}#${String(link.anchorId)}`;
    }
    case 'product':
      return facts.products.get(String(link.productId))?.url;
    case 'category':
      return facts.categories?.get(String(link.categoryId));
    case 'article':
      return facts.articles?.get(String(link.articleId))?.url;
    case 'blog':
      return facts.place?.blog;
    case 'home':
      return facts.place?.home;
    case 'url':
      return String(link.url);
    case 'email': {
      const subject = link.subject ? `?subject=${encodeURIComponent(cleanText(String(link.subject)))}` : '';
      return `mailto:${String(link.email)}${subject}`;
    }
    case 'tel':
      return `tel:${String(link.tel).replace(/[^0-9+]/g, '')}`;
    case 'anchor':
      return `#${String(link.anchorId)}`;
    default:
      return undefined;
  }
}
