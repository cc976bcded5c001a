import type { PageDocument } from '@waybill/page';
import { type Localisation, type PageSources, treeOf } from '../publishing/sources.ts';
import type { EntityRef } from '../translations/queries.ts';
import { nodeEntityId } from '../translations/translatable.ts';
import { type TranslatedValue, translateWith } from '../translations/translations.ts';

/** All that a page may show in another locale: its nodes, its sections' and blocks' nodes, its products. */
export function translatablesOf(pageId: string, document: PageDocument, sources: PageSources): EntityRef[] {
  const ids = new Set<string>();
  const tree = treeOf(document, sources);
  const open = tree ? [tree] : [];
  for (let node = open.pop(); node; node = open.pop()) {
    for (const id of entityIds(pageId, node.entityId)) ids.add(id);
    open.push(...node.children);
  }
  return [
    ...[...ids].map((entityId): EntityRef => ({ entityType: 'node', entityId })),
    ...Object.keys(sources.products).map((entityId): EntityRef => ({ entityType: 'product', entityId })),
  ];
}

/** The translations of one page as its making asks for them. */
export function localisation(pageId: string, values: readonly TranslatedValue[]): Localisation {
  const translate = translateWith(values);
  return {
    translateNode(nodeId, field) {
      const ids = entityIds(pageId, nodeId);
      return ids.map((id) => translate('node', id, field)).find((value) => value !== undefined);
    },
    translateProduct: (productId) => translate('product', productId, 'name'),
  };
}

/** The ids that translations of a node may have, the one that comes first first: with its owner's id, and bare. */
function entityIds(pageId: string, nodeId: string): [string, string] {
  const [, sectionId, ownId] = /^(sec_[0-9a-z]+):(.*)$/s.exec(nodeId) ?? [];
  return sectionId ? [nodeId, ownId!] : [nodeEntityId(pageId, nodeId), nodeId];
}
