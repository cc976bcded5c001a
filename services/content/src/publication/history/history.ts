import { createHash } from 'node:crypto';
import { type PageQuery, userNames } from '@waybill/kernel';
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

/** How much of a history is kept besides what was published in the last 90 days. */
export const maxRevisions = 100;
/** All documents of one history, beyond which its oldest go earlier. */
export const maxHistoryBytes = 256 * 1024 * 1024;
/** Of one user's saves in such a time the last is kept. */
const gatheringMs = 60_000;

/** A document as it is kept: `text` is its JSON. */
export interface DocumentCopy {
  text: string;
  nodes: number;
}

export const documentCopy = (text: string, { nodes }: PageDocument): DocumentCopy => ({
  text,
  nodes: nodes.length,
});

/** Keeps what was saved, in place of what the same user saved within the minute. `decisions.md 13.2`. */
export async function recordSave(
  trx: Trx,
  storeId: string,
  ownerId: string,
  userId: string,
  document: DocumentCopy,
): Promise<void> {
  const now = new Date();
  await lockHistory(trx, storeId, ownerId);
  const since = new Date(now.getTime() - gatheringMs);
  const replaced = await findRecentSave(trx, storeId, ownerId, userId, since);
  await keep(trx, storeId, ownerId, { kind: 'draft', userId, document }, replaced?.begunAt ?? now, now);
  await deleteRevisions(trx, storeId, ownerId, replaced ? [replaced.id] : []);
}

/** Keeps what was published; `userId` null stands for an API key or an app. */
export async function recordPublish(
  trx: Trx,
  storeId: string,
  ownerId: string,
  userId: string | null,
  document: DocumentCopy,
): Promise<void> {
  const now = new Date();
  await lockHistory(trx, storeId, ownerId);
  await keep(trx, storeId, ownerId, { kind: 'published', userId, document }, now, now);
}

async function keep(
  trx: Trx,
  storeId: string,
  ownerId: string,
  { document, ...revision }: Pick<RevisionRow, 'kind' | 'userId'> & { document: DocumentCopy },
  begunAt: Date,
  now: Date,
): Promise<void> {
  const { text, nodes } = document;
  const hash = createHash('sha256').update(text).digest();
  const most = { revisions: maxRevisions, bytes: maxHistoryBytes };
  await insertRevision(
    trx,
    storeId,
    ownerId,
    { ...revision, nodes, document: text, hash },
    most,
    begunAt,
    now,
  );
}

/**
 * A page of an owner's history, newest first.
 * @throws invalid_cursor
 */
export async function readHistory(
  { db, peers }: Pick<Context, 'db' | 'peers'>,
  storeId: string,
  ownerId: string,
  query: PageQuery,
): Promise<{ revisions: Revision[]; total: number; nextCursor: string | null }> {
  const { rows, ...list } = await listRevisions(db, storeId, ownerId, query);
  return { revisions: await withNames(peers, rows), ...list };
}

/**
 * A revision and its document as JSON.
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
  const [revision] = await withNames(peers, [found.row]);
  return { revision: revision!, document: found.document };
}

/**
 * The document of a revision as JSON. Nobody is asked for a name: to go back to it, nobody needs one.
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

/** Whoever is gone by now, or cannot be asked for, has no name. */
async function withNames(peers: Context['peers'], rows: readonly RevisionRow[]): Promise<Revision[]> {
  const names = await userNames(
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
