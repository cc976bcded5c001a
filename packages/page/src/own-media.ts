import type { MediaFacts, PageFacts } from './facts.ts';

/** No URL in a document is longer. */
const maxLength = 2048;
const filePath = /^\/media\/[^/?#]+\/(mda_[0-9a-z]+)$/;

/** Splits a file's URL into base, path and the asset's id; undefined if it is not the URL of a file. */
function parseFileUrl(url: string): { base: string; path: string; id: string } | undefined {
  const [address = ''] = url.trim().split(/[?#]/, 1);
  const at = address.lastIndexOf('/media/');
  const path = address.slice(Math.max(0, at));
  const id = filePath.exec(path)?.[1];
  return id === undefined ? undefined : { base: address.slice(0, at), path, id };
}

/** Returns the asset's id if a value is one, or is the URL of an asset's file on any host; otherwise undefined. */
export function findMediaId(value: string): string | undefined {
  if (value.length > maxLength || !value.includes('mda_')) return undefined;
  return /^mda_[0-9a-z]+$/.test(value) ? value : parseFileUrl(value)?.id;
}

/**
 * Returns the asset of the page's own store whose file a URL names, in any width. A store's files are at their paths
 * below one of `facts.bases`.
 */
export function findOwnAsset(url: string, facts: PageFacts): MediaFacts | undefined {
  if (url.length > maxLength) return undefined;
  const file = parseFileUrl(url);
  if (!file) return undefined;
  const { base, path, id } = file;
  const asset = facts.media.get(id);
  const isOwn = base === '' || facts.bases?.includes(base.toLowerCase());
  return isOwn && asset?.url === path ? asset : undefined;
}
