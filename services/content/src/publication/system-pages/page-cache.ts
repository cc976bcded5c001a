import type { Context } from '../../config.ts';
import { RevalidatingCache } from '../../shared/revalidating-cache.ts';
import { getLayout } from '../layouts/layouts.ts';
import type { Layout } from '../rendering/layout.ts';
import { estimateBytes } from '../served-documents/conditional.ts';
import type { LiveDocument } from '../served-documents/served-documents.ts';
import type { Visit } from './plans.ts';

/** A page, and what it was made from. */
export interface CachedPage {
  /** Whether it shows products besides the one that it may be about. */
  showsProducts: boolean;
  /** The hash of the layout around it. */
  layout: string;
  document: LiveDocument;
}

interface StampedPage extends CachedPage {
  /** The revisions that it was made from. */
  stamp: string;
}

/** Returns the document of a visit. Calls `render` unless the cached one stems from the same `sourceFacts`. */
export type PageCache = (
  visit: Visit,
  toPages: string,
  sourceFacts: unknown,
  render: (layout: Layout) => Promise<CachedPage | undefined>,
) => Promise<LiveDocument | undefined>;

const maxBytes = 32 * 1024 * 1024;

/**
 * Creates a cache that keeps pages in memory while nothing that they show has changed. If a page cannot be rendered again,
 * the previous one is served.
 */
export function createPageCache(context: Context): PageCache {
  const cache = new RevalidatingCache<StampedPage>({
    maxBytes,
    measureBytes: ({ stamp, document }) => stamp.length + estimateBytes(document) + 500,
  });
  return async (visit, toPages, sourceFacts, render) => {
    const { store, locale, path, admit } = visit;
    const { translationRevision, productsRevision, ...rest } = store;
    const stamp = JSON.stringify([rest, locale && translationRevision, sourceFacts]);
    const stampFor = ({ showsProducts }: CachedPage) =>
      showsProducts ? `${stamp}${productsRevision}` : stamp;
    const layout = await getLayout(context, { storeId: store.id, locale, toPages }, store);
    const page = await cache.get(`${store.id}/${locale ?? ''}/${path}`, {
      revisions: `${stamp}${productsRevision} ${layout.hash}`,
      isCurrent: (cached) => cached.stamp === stampFor(cached) && cached.layout === layout.hash,
      async load() {
        const rendered = await context.state.renderSlots.run(store.id, () => render(layout));
        return rendered && { ...rendered, stamp: stampFor(rendered) };
      },
      admit,
      fallback: (cached) => cached,
      onError: (err) =>
        context.log.warn(
          { err, storeId: store.id, path },
          'a system page could not be rendered again; its last version is shown',
        ),
    });
    return page?.document;
  };
}
