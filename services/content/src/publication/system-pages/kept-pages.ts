import { LRUCache } from 'lru-cache';
import type { Context } from '../../config.ts';
import type { Layouts } from '../layouts/layouts.ts';
import { weightOf } from '../live/conditional.ts';
import type { LiveDocument } from '../live/live.ts';
import { createFailing } from '../rendering/failing.ts';
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

interface Kept extends CachedPage {
  stamp: string;
}

/** Returns the document of a visit. Calls `make` unless the kept one was made from the same `madeOf`. */
export type PageCache = (
  visit: Visit,
  toPages: string,
  madeOf: unknown,
  make: (frame: Frame) => Promise<CachedPage | undefined>,
) => Promise<LiveDocument | undefined>;

const keptBytes = 32 * 1024 * 1024;

/**
 * Creates a cache that keeps pages in memory while nothing that they show has changed. Visitors of a page being made
 * wait for it together. If it cannot be made anew, the previous one is served.
 */
export function createPageCache(frames: Layouts, { log, state }: Pick<Context, 'log' | 'state'>): PageCache {
  const kept = new LRUCache<string, Kept>({
    maxSize: keptBytes,
    sizeCalculation: ({ stamp, document }) => stamp.length + weightOf(document) + 500,
  });
  const making = new Map<string, Promise<LiveDocument | undefined>>();
  const failing = createFailing();
  return async (visit, toPages, madeOf, make) => {
    const { store, locale, path } = visit;
    const { translationRevision, productsRevision, ...rest } = store;
    const key = `${store.id}/${locale ?? ''}/${path}`;
    const stamp = JSON.stringify([rest, locale && translationRevision, madeOf]);
    const frame = await frames.of({ storeId: store.id, locale, toPages }, store);
    const last = kept.get(key);
    const withProducts = `${stamp}${productsRevision}`;
    if (last && last.stamp === (last.showsProducts ? withProducts : stamp) && last.frame === frame.hash)
      return last.document;
    const attempt = `${key} ${withProducts} ${frame.hash}`;
    const makeOnce = async () => {
      try {
        const made = await state.renderSlots.run(store.id, () => make(frame));
        if (made) kept.set(key, { ...made, stamp: made.showsProducts ? withProducts : stamp });
        failing.succeeded(key);
        return made?.document;
      } catch (err) {
        if (!last) throw err;
        log.warn({ err, storeId: store.id, path }, 'a page stays as it was');
        failing.failed(key);
        return last.document;
      }
    };
    const makeTogether = () => {
      const made = making.get(attempt) ?? makeOnce();
      making.set(attempt, made);
      return made.finally(() => making.delete(attempt));
    };
    if (last && failing.has(key)) {
      failing.tryAgain(key, makeTogether);
      return last.document;
    }
    await visit.admit?.();
    return makeTogether();
  };
}
