import type { MediaFacts, PageFacts } from './facts.ts';

/** No URL of a document is longer. */
const maxLength = 2048;
const filePath = /^(.*?)(\/media\/[^/?#]+\/(mda_[0-9a-z]+))(?:[?#].*)?$/;

/** The id of the asset that a value is, or whose file it may be as a URL, wherever that is served; undefined for all else. */
export function mediaIdIn(value: string): string | undefined {
  if (value.length > maxLength || !value.includes('mda_')) return undefined;
  return /^mda_[0-9a-z]+$/.test(value) ? value : filePath.exec(value.trim())?.[3];
}

/**
 * The asset of the page's own store that a URL is the file of, in whatever width it asks for it. A store's files are at
 * their paths, below one of `facts.bases`.
 */
export function ownAsset(url: string, facts: PageFacts): MediaFacts | undefined {
  if (url.length > maxLength) return undefined;
  const [, base = '', path, id = ''] = filePath.exec(url.trim()) ?? [];
  const asset = facts.media.get(id);
  const isOwn = base === '' || facts.bases?.includes(base.toLowerCase());
  return isOwn && asset?.url === path ? asset : undefined;
}
