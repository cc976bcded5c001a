import type { Transaction } from 'kysely';
import { seoOf } from '../../shared/settings/seo.ts';
import type { Tables } from '../../tables.ts';
import {
  deleteEntities,
  deleteNodes,
  replaceFields,
  replaceNodes,
  type TranslatableType,
} from './queries.ts';

type Trx = Transaction<Tables>;

/** The names of those of these texts that hold anything to translate. */
export function filledFields(texts: Readonly<Record<string, string>>): string[] {
  return Object.keys(texts).filter((field) => texts[field]!.trim() !== '');
}

/**
 * Says which fields of an article, a category, a product or, as a node, a page there are to translate; to be called in the
 * transaction that writes them. `texts` has each field's text, without tags, under its name.
 */
export async function setTexts(
  trx: Trx,
  storeId: string,
  entityType: TranslatableType,
  entityId: string,
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  await replaceFields(trx, storeId, entityType, [{ entityId, fields: filledFields(texts) }]);
}

/** Forgets what there was to translate in an entity that is deleted, and its translations. */
export function forgetTexts(trx: Trx, storeId: string, entityType: TranslatableType, entityId: string) {
  return deleteEntities(trx, storeId, entityType, [entityId]);
}

/** What of a page is translated beside its document, where it holds text: entity `node` with the page's id. */
export function filledPageTexts(
  name: string,
  settings: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const { title, description } = seoOf(settings);
  const texts = Object.entries({ name, title, description });
  return Object.fromEntries(
    texts.filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].trim() !== '',
    ),
  );
}

/** A text of a document: the node's id in it, and the name of the special, `text` for one. */
export interface NodeText {
  nodeId: string;
  field: string;
}

/** The `entityId` of a node's translations: `ownerId` is the page, section or article whose document holds it. */
export function nodeEntityId(ownerId: string, nodeId: string): string {
  return `${ownerId}:${nodeId}`;
}

/**
 * Says which texts a saved document holds, in the transaction that saves it. Translations of nodes that are gone
 * stay: an undo brings them back.
 */
export async function replaceNodeTexts(
  trx: Trx,
  storeId: string,
  ownerId: string,
  texts: readonly NodeText[],
): Promise<void> {
  await replaceNodes(
    trx,
    storeId,
    nodeEntityId(ownerId, ''),
    texts.map(({ nodeId, field }) => ({ entityId: nodeEntityId(ownerId, nodeId), field })),
  );
}

/** Forgets the texts of a deleted page, section or article, and their translations. */
export function forgetNodeTexts(trx: Trx, storeId: string, ownerId: string): Promise<void> {
  return deleteNodes(trx, storeId, nodeEntityId(ownerId, ''));
}
