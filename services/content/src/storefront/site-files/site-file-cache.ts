import { estimateBytes, type TaggedBody } from '../../publication/served-documents/conditional.ts';
import { RevalidatingCache } from '../../shared/revalidating-cache.ts';

export interface CachedFile {
  /** The store's address and languages, as JSON. */
  location: string;
  /** The revisions of everything that it was made from, as JSON. */
  stamp: string;
  renderedAt: number;
  /** Whether it is a sitemap that is rebuilt at most once a minute. */
  isLarge: boolean;
  /** Undefined if there is no such part. */
  file: TaggedBody | undefined;
}

export type SiteFileCache = RevalidatingCache<CachedFile>;

/** Maximum number of bytes of sitemaps and feeds; a sitemap of 50,000 addresses has some 5 MiB. */
const maxBytes = 64 * 1024 * 1024;

/** Creates the cache of the sitemaps and feeds of every store. */
export const createSiteFileCache = (): SiteFileCache =>
  new RevalidatingCache<CachedFile>({
    maxBytes,
    measureBytes: ({ file }) => 300 + (file ? estimateBytes(file) : 0),
  });
