import { canonicalJson } from './canonical-json.ts';
import type { ArticleFacts, ListFacts, PageFacts, ProductFacts } from './facts.ts';
import { findListQuery, listKey } from './lists.ts';
import type { TreeNode } from './materialise.ts';
import { limits } from './model.ts';
import {
  resolveArticleParts,
  resolveFormParts,
  resolvePagerParts,
  resolvePlaceParts,
  resolveProductParts,
} from './resolve-parts.ts';
import { definedOnly, resolveSpecials, resolveStyle, withBindings, withDefaults } from './resolve-values.ts';
import type { ResolvedNode } from './resolved.ts';

/**
 * Resolves everything that a materialised page refers to: texts in the page's locale, links and media as URLs, products
 * as text, app values in the fields bound to them. If a value is missing, the authored one stays; a product element
 * whose product is missing is marked as gone.
 */
export function resolve(tree: TreeNode, facts: PageFacts): ResolvedNode {
  const { productId = '', articleId = '' } = facts.place ?? {};
  const surroundings = { product: facts.products.get(productId), article: facts.articles?.get(articleId) };
  return resolveNode(tree, facts, surroundings, { nodes: limits.materialisedNodes });
}

/** The context of a node. */
interface Surroundings {
  readonly product: ProductFacts | undefined;
  readonly article: ArticleFacts | undefined;
  /** In a list's copy: the prefix that replaces the first `pathLength` characters of paths. */
  readonly copy?: { readonly pathLength: number; readonly copyPath: string };
}

/** The number of nodes that the page may still get, because lists copy their children. */
interface RemainingLists {
  nodes: number;
}

function resolveNode(
  node: TreeNode,
  facts: PageFacts,
  surroundings: Surroundings,
  remaining: RemainingLists,
): ResolvedNode {
  remaining.nodes--;
  const { productId } = node.specials;
  const product = typeof productId === 'string' ? facts.products.get(productId) : surroundings.product;
  const authored = withDefaults(node);
  const bound = withBindings(node, authored, facts, typeof productId === 'string' ? productId : product?.id);
  const own = resolveSpecials(node, bound, facts);
  const { copy, article } = surroundings;
  const path = copy ? `${copy.copyPath}/${node.path.slice(copy.pathLength)}` : node.path;
  const list = findList(node, facts, copy !== undefined);
  const parts =
    (product && resolveProductParts(node.type, own, product, facts)) ??
    (article && resolveArticleParts(node.type, own, article, facts)) ??
    (list && resolvePagerParts(list, facts)) ??
    resolveFormParts(node, own, facts) ??
    resolvePlaceParts(node.type, own, facts);
  const isGone = node.type === 'product' && typeof productId === 'string' && !product;
  const resolved: ResolvedNode = {
    path,
    ...(copy && { original: node.path }),
    type: node.type,
    style: resolveStyle(node.style, facts),
    config: node.config,
    specials: parts ? { ...own, ...parts } : own,
    children: list
      ? resolveCopies(node, path, list, facts, { ...surroundings, product }, remaining)
      : node.children.map((child) => resolveNode(child, facts, { ...surroundings, product }, remaining)),
    ...(isGone && { isGone }),
  };
  if (node.island === undefined) return resolved;
  const props = canonicalJson({ ...definedOnly(bound), ...(product && { productId: product.id }) });
  return { ...resolved, island: { name: node.island, props } };
}

const emptyList: ListFacts = { ids: [], page: 1, pages: 1 };

/**
 * Returns the contents of a list; undefined if the node is not a list. A list inside another, which only a reference
 * can cause, is empty.
 */
function findList(node: TreeNode, facts: PageFacts, isCopy: boolean): ListFacts | undefined {
  const query = findListQuery(node);
  if (!query) return undefined;
  return (isCopy ? undefined : facts.lists?.get(listKey(query))) ?? emptyList;
}

/** Copies the only child of a list for each item, bound to that item, with paths of its own. */
function resolveCopies(
  { type, path: original, children }: TreeNode,
  path: string,
  { ids }: ListFacts,
  facts: PageFacts,
  surroundings: Surroundings,
  remaining: RemainingLists,
): ResolvedNode[] {
  const [child] = children;
  if (!child) return [];
  const copies: ResolvedNode[] = [];
  const pathLength = original.lastIndexOf('/') + 1;
  for (const id of new Set(ids)) {
    const product = type === 'productList' ? facts.products.get(id) : surroundings.product;
    const article = type === 'articleList' ? facts.articles?.get(id) : surroundings.article;
    if (remaining.nodes <= 0 || (type === 'productList' ? !product : !article)) continue;
    copies.push(
      resolveNode(
        child,
        facts,
        { product, article, copy: { pathLength, copyPath: `${path}/${id}` } },
        remaining,
      ),
    );
  }
  return copies;
}
