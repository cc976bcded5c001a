import type { Context } from '../../config.ts';
import { RevalidatingCache } from '../../shared/revalidating-cache.ts';
import type { Layouts } from '../layouts/layouts.ts';
import { estimateBytes } from '../live/conditional.ts';
import type { LiveDocument } from '../live/live.ts';
import type { Frame } from '../rendering/frame.ts';
import type { Visit } from './plans.ts';

/** A page, and what it was made from. */
export interface CachedPage {
  /** Whether it shows products besides the one that it may be about. */
  showsProducts: boolean;
  /** The hash of the frame around it. */
  frame: string;
  document: LiveDocument;
}

interface StampedPage extends CachedPage {
  /** The revisions that it was made from. */
  stamp: string;
}

/** Returns the document of a visit. Calls `make` unless the kept one was made from the same `sourceFacts`. */
export type PageCache = (
  visit: Visit,
  toPages: string,
  sourceFacts: unknown,
  make: (frame: Frame) => Promise<CachedPage | undefined>,
) => Promise<LiveDocument | undefined>;

const maxBytes = 32 * 1024 * 1024;

/**
 * Creates a cache that keeps pages in memory while nothing that they show has changed. If a page cannot be rendered again,
 * the previous one is served.
 */
export function createPageCache(frames: Layouts, { log, state }: Pick<Context, 'log' | 'state'>): PageCache {
  const cache = new RevalidatingCache<StampedPage>({
    maxBytes,
    measureBytes: ({ stamp, document }) => stamp.length + estimateBytes(document) + 500,
  });
  return async (visit, toPages, sourceFacts, make) => {
    const { store, locale, path, admit } = visit;
    const { translationRevision, productsRevision, ...rest } = store;
    const stamp = JSON.stringify([rest, locale && translationRevision, sourceFacts]);
    const stampFor = ({ showsProducts }: CachedPage) =>
      showsProducts ? `${stamp}${productsRevision}` : stamp;
    const frame = await frames.getFrame({ storeId: store.id, locale, toPages }, store);
    const page = await cache.get(`${store.id}/${locale ?? ''}/${path}`, {
      revisions: `${stamp}${productsRevision} ${frame.hash}`,
      isCurrent: (cached) => cached.stamp === stampFor(cached) && cached.frame === frame.hash,
      async make() {
        const made = await state.renderSlots.run(store.id, () => make(frame));
        return made && { ...made, stamp: stampFor(made) };
      },
      admit,
      fallback: (cached) => cached,
      onError: (err) =>
        log.warn(
          { err, storeId: store.id, path },
          'a system page could not be rendered again; its last version is shown',
        ),
    });
    return page?.document;
  };
}
