import type { Problem } from '@waybill/contracts';
import {
  checkDocument,
  documentTexts,
  normaliseDocument,
  type PageDocument,
  references,
  vocabulary,
  withOwnKeys,
} from '@waybill/page';
import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { lockPageList } from '../../shared/stores/queries.ts';
import type { Tables } from '../../tables.ts';
import { deleteNodeTexts, replaceNodeTexts } from '../../translations/values/translatable.ts';
import { markHistoryDeleted } from '../history/queries.ts';
import { documentOwner } from '../owners/owner.ts';
import { Lookups } from '../rendering/lookups.ts';
import { findSectionsContaining, knownSections, lockSections, replaceSectionUses } from './queries.ts';
import { findWarnings, toBodyPointers, type Warning } from './warnings.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/**
 * Checks a document sent as the `document` of a body, and returns it in its stored form (`decisions.md 4.3`).
 * @throws invalid_document with a pointer to every problem
 */
export function acceptDocument(sent: unknown): PageDocument {
  // Check the normalized document, because normalizing may make different ids equal, and change lengths and letters.
  const document = normaliseDocument(sent as PageDocument);
  const problems = checkDocument(vocabulary, document);
  if (problems.length > 0) throw invalidDocument(problems);
  return document;
}

/** A document to be saved, and warnings about the parts that will not be shown. */
export interface AcceptedDocument {
  document: PageDocument;
  warnings: Warning[];
}

/**
 * Checks a document and returns it with warnings about the parts that will not be shown. Asks other services for these,
 * so it must run before the transaction.
 * @throws invalid_document with a pointer to every problem
 */
export async function acceptWithWarnings(
  context: Context,
  storeId: string,
  sent: unknown,
): Promise<AcceptedDocument> {
  const document = acceptDocument(sent);
  return {
    document,
    warnings: await findWarnings(context, storeId, document, new Lookups(context, storeId)),
  };
}

/** Converts a stored document to JSON that can be saved again: keys that its elements do not have are left out. */
export function toEditable(stored: string): string {
  const document: PageDocument = JSON.parse(stored);
  const own = withOwnKeys(vocabulary, document);
  return own === document ? stored : JSON.stringify(own);
}

/**
 * Records the sections and translatable texts of a document in the transaction that saves it. The owner is a page (for
 * its draft), a section or an article. Locks the store's page list.
 * @throws invalid_document for a section that the store does not have, or one that holds the owner
 */
export async function recordDocument(
  trx: Trx,
  storeId: string,
  ownerId: string,
  document: PageDocument,
): Promise<void> {
  const sectionIds = [...references(document).sectionIds];
  // Two concurrent saves could each add the other's section, so they take turns.
  await lockPageList(trx, storeId);
  const known = await lockSections(trx, storeId, sectionIds);
  const circular =
    documentOwner(ownerId).kind === 'section'
      ? await findSectionsContaining(trx, storeId, sectionIds, ownerId)
      : new Set<string>();
  const problems = sectionProblems(document, known, circular);
  if (problems.length > 0) throw invalidDocument(problems);
  await replaceSectionUses(trx, storeId, ownerId, sectionIds);
  await replaceNodeTexts(trx, storeId, ownerId, documentTexts(document));
}

function sectionProblems(
  { nodes }: PageDocument,
  known: ReadonlySet<string>,
  circular: ReadonlySet<string>,
): Problem[] {
  return nodes.flatMap(({ type, props }, i): Problem[] => {
    const sectionId = String(props?.specials?.sectionId);
    if (type !== 'sectionRef' || (known.has(sectionId) && !circular.has(sectionId))) return [];
    const message = known.has(sectionId) ? 'holds this section' : 'is no section of this store';
    return [{ pointer: `/nodes/${i}/props/specials/sectionId`, message }];
  });
}

/**
 * Checks an unsaved document of a page, sent as the `document` of a body, as if it were to be saved.
 * @throws invalid_document
 */
export async function acceptUnsaved(db: Db, storeId: string, sent: unknown): Promise<PageDocument> {
  const document = acceptDocument(sent);
  const known = await knownSections(db, storeId, [...references(document).sectionIds]);
  const problems = sectionProblems(document, known, new Set());
  if (problems.length > 0) throw invalidDocument(problems);
  return document;
}

/**
 * Returns everything that keeps a page's document, sent as the `document` of a body, from being saved; `tolerated` is
 * its usable part.
 */
export async function findProblems(
  db: Db,
  storeId: string,
  sent: unknown,
  tolerated: PageDocument,
): Promise<Warning[]> {
  const known = await knownSections(db, storeId, [...references(tolerated).sectionIds]);
  const invalid = checkDocument(vocabulary, normaliseDocument(sent as PageDocument));
  const problems = [
    ...invalid,
    ...(invalid.length === 0 ? sectionProblems(tolerated, known, new Set()) : []),
  ];
  return toBodyPointers(problems.map((problem) => ({ ...problem, code: 'invalid_document' })));
}

/**
 * Records that an owner no longer has a document. Translations of its texts stay, because another save may bring them
 * back.
 */
export async function clearDocument(trx: Trx, storeId: string, ownerId: string): Promise<void> {
  await replaceSectionUses(trx, storeId, ownerId, []);
  await replaceNodeTexts(trx, storeId, ownerId, []);
}

function invalidDocument(problems: readonly Problem[]): Error {
  return errors.invalid_document({ details: toBodyPointers(problems) });
}

/** Deletes the records of a document, its history and its translations when its owner is deleted. */
export async function deleteDocumentRecords(trx: Trx, storeId: string, ownerId: string): Promise<void> {
  await replaceSectionUses(trx, storeId, ownerId, []);
  await deleteNodeTexts(trx, storeId, ownerId);
  await markHistoryDeleted(trx, storeId, ownerId);
}
