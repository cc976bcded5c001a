import type { Transaction } from 'kysely';
import { readSeo } from '../../shared/settings/seo.ts';
import type { Tables } from '../../tables.ts';
import {
  deleteEntities,
  deleteNodes,
  replaceFields,
  replaceNodes,
  type TranslatableType,
} from './queries.ts';

type Trx = Transaction<Tables>;

/** Returns the names of the texts that are not empty. */
export function filledFields(texts: Readonly<Record<string, string>>): string[] {
  return Object.keys(texts).filter((field) => texts[field]!.trim() !== '');
}

/**
 * Records the translatable fields of an article, a category, a product or, as a node, a page. Must be called in the
 * transaction that writes them. `texts` has each field's text, without tags, under its name.
 */
export async function replaceTexts(
  trx: Trx,
  storeId: string,
  entityType: TranslatableType,
  entityId: string,
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  await replaceFields(trx, storeId, entityType, [{ entityId, fields: filledFields(texts) }]);
}

/** Deletes the translatable fields of a deleted entity, and its translations. */
export function deleteTexts(trx: Trx, storeId: string, entityType: TranslatableType, entityId: string) {
  return deleteEntities(trx, storeId, entityType, [entityId]);
}

/**
 * Returns the translatable texts of a page outside its document that are not empty: entity `node` with the page's id.
 */
export function filledPageTexts(
  name: string,
  settings: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const { title, description } = readSeo(settings);
  const texts = Object.entries({ name, title, description });
  return Object.fromEntries(
    texts.filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].trim() !== '',
    ),
  );
}

/** A text of a document: the id of its node, and its field, which is the name of the special such as `text`. */
export interface NodeText {
  nodeId: string;
  field: string;
}

/**
 * Returns the `entityId` of a node's translations; `ownerId` is the page, section or article whose document holds it.
 */
export function nodeEntityId(ownerId: string, nodeId: string): string {
  return `${ownerId}:${nodeId}`;
}

/**
 * Records the texts of a saved document in the transaction that saves it. Translations of removed nodes stay, because
 * an undo may bring them back.
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

/** Deletes the texts of a deleted page, section or article, and their translations. */
export function deleteNodeTexts(trx: Trx, storeId: string, ownerId: string): Promise<void> {
  return deleteNodes(trx, storeId, nodeEntityId(ownerId, ''));
}
