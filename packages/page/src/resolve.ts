import { canonicalJson } from './canonical-json.ts';
import type { ArticleFacts, ListFacts, PageFacts, ProductFacts } from './facts.ts';
import { listKey, listQueryOf } from './lists.ts';
import type { TreeNode } from './materialise.ts';
import { limits } from './model.ts';
import { articleParts, formParts, pagerParts, placeParts, productParts } from './resolve-parts.ts';
import { definedOnly, resolveSpecials, resolveStyle, withBindings, withDefaults } from './resolve-values.ts';
import type { ResolvedNode } from './resolved.ts';

/**
 * Resolves everything that a materialised page refers to: texts in the page's locale, links and media as URLs, products
 * as text, app values in the fields bound to them. If a value is missing, the authored one stays; a product element
 * whose product is missing is marked as gone.
 */
export function resolve(tree: TreeNode, facts: PageFacts): ResolvedNode {
  const { productId = '', articleId = '' } = facts.place ?? {};
  const around = { product: facts.products.get(productId), article: facts.articles?.get(articleId) };
  return resolveNode(tree, facts, around, { nodes: limits.materialisedNodes });
}

/** The context of a node. */
interface Around {
  readonly product: ProductFacts | undefined;
  readonly article: ArticleFacts | undefined;
  /** In a list's copy: the prefix that replaces the first `cut` characters of paths. */
  readonly copy?: { readonly cut: number; readonly under: string };
}

/** The number of nodes that the page may still get, because lists copy their children. */
interface Left {
  nodes: number;
}

function resolveNode(node: TreeNode, facts: PageFacts, around: Around, left: Left): ResolvedNode {
  left.nodes--;
  const { productId } = node.specials;
  const product = typeof productId === 'string' ? facts.products.get(productId) : around.product;
  const authored = withDefaults(node);
  const bound = withBindings(node, authored, facts, typeof productId === 'string' ? productId : product?.id);
  const own = resolveSpecials(node, bound, facts);
  const { copy, article } = around;
  const path = copy ? `${copy.under}/${node.path.slice(copy.cut)}` : node.path;
  const list = listOf(node, facts, copy !== undefined);
  const parts =
    (product && productParts(node.type, own, product, facts)) ??
    (article && articleParts(node.type, own, article, facts)) ??
    (list && pagerParts(list, facts)) ??
    formParts(node, own, facts) ??
    placeParts(node.type, own, facts);
  const isGone = node.type === 'product' && typeof productId === 'string' && !product;
  const resolved: ResolvedNode = {
    path,
    ...(copy && { original: node.path }),
    type: node.type,
    style: resolveStyle(node.style, facts),
    config: node.config,
    specials: parts ? { ...own, ...parts } : own,
    children: list
      ? copiesOf(node, path, list, facts, { ...around, product }, left)
      : node.children.map((child) => resolveNode(child, facts, { ...around, product }, left)),
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
function listOf(node: TreeNode, facts: PageFacts, isCopy: boolean): ListFacts | undefined {
  const query = listQueryOf(node);
  if (!query) return undefined;
  return (isCopy ? undefined : facts.lists?.get(listKey(query))) ?? emptyList;
}

/** Copies the only child of a list for each item, bound to that item, with paths of its own. */
function copiesOf(
  { type, path: original, children }: TreeNode,
  path: string,
  { ids }: ListFacts,
  facts: PageFacts,
  around: Around,
  left: Left,
): ResolvedNode[] {
  const [child] = children;
  if (!child) return [];
  const copies: ResolvedNode[] = [];
  const cut = original.lastIndexOf('/') + 1;
  for (const id of new Set(ids)) {
    const product = type === 'productList' ? facts.products.get(id) : around.product;
    const article = type === 'articleList' ? facts.articles?.get(id) : around.article;
    if (left.nodes <= 0 || (type === 'productList' ? !product : !article)) continue;
    copies.push(resolveNode(child, facts, { product, article, copy: { cut, under: `${path}/${id}` } }, left));
  }
  return copies;
}
