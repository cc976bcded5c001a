import type { DocumentSources, TreeNode } from '@waybill/page';
import type { EntityRef } from '../../translations/values/queries.ts';
import { filledPageTexts, nodeEntityId } from '../../translations/values/translatable.ts';
import { type TranslatedValue, translateWith } from '../../translations/values/translations.ts';
import type { PageHead } from './document-html.ts';
import type { Localisation, PageSources } from './sources.ts';

/**
 * Returns everything translatable that a page may show: its own name, its nodes, those of its sections and blocks, and
 * its products.
 */
export function listTranslatables(
  pageId: string,
  tree: TreeNode | undefined,
  sources: PageSources,
): EntityRef[] {
  const ids = new Set<string>([pageId]);
  const open = tree ? [tree] : [];
  for (let node = open.pop(); node; node = open.pop()) {
    for (const id of entityIds(pageId, node.entityId)) ids.add(id);
    // Keeps the order of the page.
    open.push(...node.children.toReversed());
  }
  return [
    ...[...ids].map((entityId): EntityRef => ({ entityType: 'node', entityId })),
    ...Object.keys(sources.products).map((entityId): EntityRef => ({ entityType: 'product', entityId })),
    ...Object.keys(sources.articles ?? {}).map(
      (entityId): EntityRef => ({ entityType: 'article', entityId }),
    ),
  ];
}

/** Provides the translations of one page for its rendering. */
export function localisation(
  pageId: string,
  locale: string,
  values: readonly TranslatedValue[],
): Localisation {
  const translate = translateWith(values);
  return {
    translateNode(nodeId, field) {
      const ids = entityIds(pageId, nodeId);
      return ids.map((id) => translate('node', id, field)).find((value) => value !== undefined);
    },
    locale,
    translateName: () => translate('node', pageId, 'name'),
    translateProduct: (productId, field) => translate('product', productId, field),
    translateCategory: (categoryId, field) => translate('category', categoryId, field),
    translateArticle: (articleId, field) => translate('article', articleId, field),
  };
}

/** Returns a page's translated name, title and description, as far as they exist: entity `node` with the page's id. */
export function localiseHead(
  pageId: string,
  { name, settings }: Pick<PageHead, 'name' | 'settings'>,
  values: readonly TranslatedValue[],
): Pick<PageHead, 'name' | 'settings'> {
  const translate = translateWith(values);
  const texts = filledPageTexts(name, settings);
  const local = Object.fromEntries(
    Object.keys(texts).map((field) => [field, translate('node', pageId, field) ?? texts[field]]),
  );
  const { name: localName = name, ...head } = local;
  return { name: localName, settings: { ...settings, seo: { ...(settings.seo as object), ...head } } };
}

/** Returns the texts of a tree by `TreeNode.entityId` and field, for rendering a document. */
export function localTexts(
  pageId: string,
  tree: TreeNode | undefined,
  values: readonly TranslatedValue[],
): NonNullable<DocumentSources['texts']> {
  const byId = Map.groupBy(
    values.filter(({ entityType }) => entityType === 'node'),
    ({ entityId }) => entityId,
  );
  const texts: Record<string, Record<string, string>> = {};
  const open = tree ? [tree] : [];
  for (let node = open.pop(); node; node = open.pop()) {
    const found = entityIds(pageId, node.entityId).flatMap((id) => byId.get(id) ?? []);
    if (found.length > 0) {
      // Of two values for one field the first one applies.
      texts[node.entityId] = Object.fromEntries(found.reverse().map(({ field, value }) => [field, value]));
    }
    open.push(...node.children);
  }
  return texts;
}

/** Returns the ids that translations of a node may have, by precedence: with its owner's id, and bare. */
function entityIds(pageId: string, nodeId: string): [string, string] {
  const [, sectionId, ownId] = /^(sec_[0-9a-z]+):(.*)$/s.exec(nodeId) ?? [];
  return sectionId ? [nodeId, ownId!] : [nodeEntityId(pageId, nodeId), nodeId];
}
