import { findListQuery, type ListQuery, listKey, maxLists } from './lists.ts';
import type { TreeNode } from './materialise.ts';
import type { Json, PageDocument, PageNode } from './model.ts';
import { findMediaId } from './own-media.ts';

/** Everything that a document or a materialised tree refers to, each once. */
export interface References {
  sectionIds: Set<string>;
  /** By `<appId>/<blockKey>`. */
  blocks: Map<string, { appId: string; blockKey: string }>;
  productIds: Set<string>;
  mediaIds: Set<string>;
  pageIds: Set<string>;
  articleIds: Set<string>;
  categoryIds: Set<string>;
  /** The queries of a materialised tree's lists, by `listKey`. */
  lists: Map<string, ListQuery>;
  /** Bound app values by `<appId>/<key>`; only a materialised tree has them, never a document. */
  appValues: Map<string, { appId: string; key: string }>;
}

/**
 * Returns what must be fetched before a document is materialised (sections, blocks) or a tree is resolved (the rest).
 */
export function references(from: PageDocument | TreeNode): References {
  const found: References = {
    sectionIds: new Set(),
    blocks: new Map(),
    productIds: new Set(),
    mediaIds: new Set(),
    pageIds: new Set(),
    articleIds: new Set(),
    categoryIds: new Set(),
    lists: new Map(),
    appValues: new Map(),
  };
  if ('nodes' in from) for (const node of from.nodes) collectNode(node, found);
  else collectTree(from, found);
  return found;
}

function collectNode({ type, props }: PageNode, found: References): void {
  const { appId, blockKey, sectionId } = props?.specials ?? {};
  if (type === 'sectionRef' && typeof sectionId === 'string') found.sectionIds.add(sectionId);
  if (type === 'blockRef' && typeof appId === 'string' && typeof blockKey === 'string') {
    found.blocks.set(`${appId}/${blockKey}`, { appId, blockKey });
  }
  collectIds((props ?? null) as Json, found);
}

function collectTree(node: TreeNode, found: References): void {
  const query = findListQuery(node);
  if (query && found.lists.size < maxLists) found.lists.set(listKey(query), query);
  collectIds(node.specials as Json, found);
  collectIds(node.style as Json, found);
  for (const { appId, key } of node.bindings) found.appValues.set(`${appId}/${key}`, { appId, key });
  for (const child of node.children) collectTree(child, found);
}

/** Collects ids anywhere in a value by their prefix. The URL of a file also counts, whichever store it belongs to. */
function collectIds(value: Json, found: References): void {
  if (typeof value === 'string') {
    if (/^prd_[0-9a-z]+$/.test(value)) found.productIds.add(value);
    else if (/^pag_[0-9a-z]+$/.test(value)) found.pageIds.add(value);
    else if (/^art_[0-9a-z]+$/.test(value)) found.articleIds.add(value);
    else if (/^cat_[0-9a-z]+$/.test(value)) found.categoryIds.add(value);
    else {
      const mediaId = findMediaId(value);
      if (mediaId) found.mediaIds.add(mediaId);
    }
  } else if (Array.isArray(value)) {
    for (const inner of value) collectIds(inner, found);
  } else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) collectIds(inner, found);
  }
}
