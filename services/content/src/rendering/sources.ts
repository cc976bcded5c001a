import type { AppDataFact, AppDataName } from '@waybill/contracts';
import {
  type Block,
  type DocumentSources,
  type MediaFacts,
  type PageDocument,
  type ProductFacts,
  references,
  type TreeNode,
} from '@waybill/page';

/**
 * Everything that a page is made of but its document. Plain JSON, kept beside the live page: so it can be made in
 * another locale, or with one part of it changed, without asking anybody for the rest.
 */
export interface PageSources {
  currency: string;
  /** By id; all that are held at any depth. */
  sections: Record<string, PageDocument>;
  /** What the page uses of each app, by its id; of an app that is not available, nothing. */
  apps: Record<string, UsedApp>;
  products: Record<string, ProductFacts>;
  media: Record<string, MediaFacts>;
  /** What stands before the path in the store's own URLs of its files; not there in what was kept before. */
  bases?: string[];
  /** The slug of each live page that is linked to, by its id; empty for the homepage. */
  pages: Record<string, string>;
  appValues: AppDataFact[];
}

/** Blocks, and islands by name, of the version that was installed when they were taken. */
export interface UsedApp {
  versionId: string;
  blocks: Record<string, Block>;
  /** SHA-256 of the module, hex. */
  islands: Record<string, string>;
  /** As `InstalledApp` has them; not there in what was kept before the app platform told. */
  connectOrigins?: string[];
  choice?: number;
  /** The store that the page is of, where nobody has reviewed the version: only there its modules are served. */
  developmentStoreId?: string;
}

/** What a page shows in a locale other than the one it was written in. */
export interface Localisation {
  /** A text by the node's `TreeNode.entityId` and its field. */
  translateNode(nodeId: string, field: string): string | undefined;
  /** A product's name. */
  translateProduct(productId: string): string | undefined;
}

/**
 * The sources as a document is rendered with them. Links to pages are relative, so that the same bytes lead to the right
 * place wherever the store is shown, and in every locale: `toPages` leads from the document to where pages are.
 */
export function placedSources(sources: PageSources, toPages: string): DocumentSources {
  const pages = Object.entries(sources.pages).map(([id, slug]) => [id, toPages + slug]);
  return { ...sources, pages: Object.fromEntries(pages) };
}

/** Products with their names in a locale. */
export function localProducts(
  products: PageSources['products'],
  local: Localisation,
): PageSources['products'] {
  return Object.fromEntries(
    Object.entries(products).map(([id, product]) => [
      id,
      { ...product, name: local.translateProduct(id) ?? product.name },
    ]),
  );
}

/** Where a page is among its store's; an empty slug is the homepage's. */
export function pathInStore(slug: string, locale?: string): string {
  return `${locale ? `${locale}/` : ''}${slug}`;
}

/** Where a page is served below `/s`. */
export function pagePath(storeSlug: string, slug: string, locale?: string): string {
  return `/s/${storeSlug}/${pathInStore(slug, locale)}`;
}

/** Something that a live page shows, `0012_live_pages.sql`. */
export interface Dependency {
  kind: 'section' | 'product' | 'media' | 'page' | 'app' | 'block' | 'appData';
  ref: string;
  /** Of an app: the version that its blocks were taken from. */
  version: string | null;
}

/** All that a page depends on, its tree being made of the same, in one order, each once: also what was not there. */
export function dependenciesOf(
  document: PageDocument,
  sources: PageSources,
  tree: TreeNode | undefined,
): Dependency[] {
  const found = new Map<string, Dependency>();
  const add = (kind: Dependency['kind'], refs: Iterable<string>, version: string | null = null) => {
    for (const ref of refs) found.set(`${kind} ${ref}`, { kind, ref, version });
  };
  for (const each of [document, ...Object.values(sources.sections)]) {
    const { blocks, sectionIds } = references(each);
    add('section', sectionIds);
    add('block', blocks.keys());
    for (const { appId } of blocks.values()) {
      add('app', [appId], own(sources.apps, appId)?.versionId ?? null);
    }
  }
  if (tree) {
    const { productIds, mediaIds, pageIds } = references(tree);
    add('product', productIds);
    add('media', [...mediaIds, ...Object.keys(sources.media)]);
    add('page', pageIds);
    add('appData', appDataOf(tree).map(nameOf));
  }
  return [...found.keys()].sort().map((key) => found.get(key)!);
}

/** The values of app data that a tree's bindings ask for: the product's around a node before the site's. */
export function appDataOf(tree: TreeNode): AppDataName[] {
  const found = new Map<string, AppDataName>();
  const visit = (node: TreeNode, above: string | null) => {
    const productId = typeof node.specials.productId === 'string' ? node.specials.productId : above;
    for (const { appId, key } of node.bindings) {
      const names: AppDataName[] = [{ appId, key, owner: 'site', ownerId: null }];
      if (productId) names.push({ appId, key, owner: 'product', ownerId: productId });
      for (const name of names) found.set(nameOf(name), name);
    }
    for (const child of node.children) visit(child, productId);
  };
  visit(tree, null);
  return [...found.values()];
}

/** How a value of app data is written as a dependency. */
export function nameOf({ appId, key, owner, ownerId }: AppDataName): string {
  return `${appId}/${key}/${owner}/${ownerId ?? ''}`;
}

/** A member of an object that is a table: nothing that every object has. */
export function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
