import { RevalidatingCache } from '../../shared/revalidating-cache.ts';
import type { Layout } from '../rendering/layout.ts';

export interface CachedLayout {
  /** The revisions that it was made from. */
  stamp: string;
  layout: Layout;
  showsProducts: boolean;
}

export type LayoutCache = RevalidatingCache<CachedLayout>;

/** Creates the cache of the layouts of every store, locale and directory. */
export const createLayoutCache = (): LayoutCache =>
  new RevalidatingCache<CachedLayout>({
    maxBytes: 16 * 1024 * 1024,
    measureBytes: ({ layout }) => layout.header.length + layout.footer.length + layout.css.length + 500,
  });
