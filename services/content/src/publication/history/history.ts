import { createHash } from 'node:crypto';
import { findUserNames, type PageQuery } from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import type { Tables } from '../../tables.ts';
import {
  deleteRevisions,
  findRecentSave,
  findRevision,
  insertRevision,
  listRevisions,
  lockHistory,
  type RevisionRow,
} from './queries.ts';
import type { Revision } from './revision.ts';

type Trx = Transaction<Tables>;

/** Number of revisions kept besides those published in the last 90 days. */
export const maxRevisions = 100;
/** Maximum size of all documents of one history; beyond it, the oldest are deleted earlier. */
export const maxHistoryBytes = 256 * 1024 * 1024;
/** Of the saves by one user within this time, only the last is kept. */
const draftWindowMs = 60_000;

/** A document as it is kept; `text` is its JSON. */
export interface DocumentCopy {
  text: string;
  nodes: number;
}

/** Pairs a document's JSON with its number of nodes. */
export const documentCopy = (text: string, { nodes }: PageDocument): DocumentCopy => ({
  text,
  nodes: nodes.length,
});

/** Keeps a saved document, replacing what the same user saved within the last minute (`decisions.md 13.2`). */
export async function recordSave(
  trx: Trx,
  storeId: string,
  ownerId: string,
  userId: string,
  document: DocumentCopy,
): Promise<void> {
  const now = new Date();
  await lockHistory(trx, storeId, ownerId);
  const since = new Date(now.getTime() - draftWindowMs);
  const replaced = await findRecentSave(trx, storeId, ownerId, userId, since);
  await storeRevision(
    trx,
    storeId,
    ownerId,
    { kind: 'draft', userId, document },
    replaced?.begunAt ?? now,
    now,
  );
  await deleteRevisions(trx, storeId, ownerId, replaced ? [replaced.id] : []);
}

/** Keeps a published document; a null `userId` stands for an API key or an app. */
export async function recordPublish(
  trx: Trx,
  storeId: string,
  ownerId: string,
  userId: string | null,
  document: DocumentCopy,
): Promise<void> {
  const now = new Date();
  await lockHistory(trx, storeId, ownerId);
  await storeRevision(trx, storeId, ownerId, { kind: 'published', userId, document }, now, now);
}

async function storeRevision(
  trx: Trx,
  storeId: string,
  ownerId: string,
  { document, ...revision }: Pick<RevisionRow, 'kind' | 'userId'> & { document: DocumentCopy },
  begunAt: Date,
  now: Date,
): Promise<void> {
  const { text, nodes } = document;
  const hash = createHash('sha256').update(text).digest();
  const limits = { revisions: maxRevisions, bytes: maxHistoryBytes };
  await insertRevision(
    trx,
    storeId,
    ownerId,
    { ...revision, nodes, document: text, hash },
    limits,
    begunAt,
    now,
  );
}

/**
 * Returns a page of an owner's history, newest first.
 * @throws invalid_cursor
 */
export async function readHistory(
  { db, peers }: Pick<Context, 'db' | 'peers'>,
  storeId: string,
  ownerId: string,
  query: PageQuery,
): Promise<{ revisions: Revision[]; total: number; nextCursor: string | null }> {
  const { rows, ...list } = await listRevisions(db, storeId, ownerId, query);
  return { revisions: await addUserNames(peers, rows), ...list };
}

/**
 * Returns a revision, and its document as JSON.
 * @throws not_found
 */
export async function readRevision(
  { db, peers }: Pick<Context, 'db' | 'peers'>,
  storeId: string,
  ownerId: string,
  revisionId: string,
): Promise<{ revision: Revision; document: string }> {
  const found = await findRevision(db, storeId, ownerId, revisionId);
  if (!found) throw errors.not_found();
  const [revision] = await addUserNames(peers, [found.row]);
  return { revision: revision!, document: found.document };
}

/**
 * Returns the document of a revision as JSON, without looking up user names, which a return to it does not need.
 * @throws not_found
 */
export async function readRevisionDocument(
  db: Kysely<Tables>,
  storeId: string,
  ownerId: string,
  revisionId: string,
): Promise<string> {
  const found = await findRevision(db, storeId, ownerId, revisionId);
  if (!found) throw errors.not_found();
  return found.document;
}

/** Adds user names to revisions. A deleted user, or one that cannot be looked up, has no name. */
async function addUserNames(peers: Context['peers'], rows: readonly RevisionRow[]): Promise<Revision[]> {
  const names = await findUserNames(
    peers,
    rows.map(({ userId }) => userId),
  );
  return rows.map(({ createdAt, userId, ...row }) => ({
    ...row,
    createdAt: createdAt.toISOString(),
    userId,
    userName: (userId && names.get(userId)) ?? null,
  }));
}
