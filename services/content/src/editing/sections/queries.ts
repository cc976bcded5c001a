import { randomUUID } from 'node:crypto';
import {
  byTime,
  type Columns,
  changedAt,
  defineParts,
  type ListItem,
  type ListRead,
  parsePage,
  prepare,
  readItems,
  timestamp,
} from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import { templateOwners } from '../../publication/templates/queries.ts';
import type { Tables } from '../../tables.ts';
import { type ListQuery, maxUsers, type SectionUser } from './routes.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** A section as it is written. */
export interface SectionWrite {
  id: string;
  name: string;
  /** As JSON. */
  document: string;
}

const sectionJson = `json_build_object(
  'id', s.id, 'name', s.name, 'document', s.document,
  'revision', s.saves, 'savedAt', ${timestamp('s.updated_at')}, 'savedBy', s.saved_by,
  'createdAt', ${timestamp('s.created_at')}, 'updatedAt', ${timestamp('s.updated_at')}
)`;

const findEnvelope = prepare<{ json: string }>(
  'section-find',
  `select json_build_object('section', ${sectionJson})::text as json
   from section s where s.store_id = $1 and s.id = $2`,
);

/** Returns the `{ section }` envelope as JSON; null when the store has no such section. */
export async function findSectionEnvelope(db: Db, storeId: string, id: string): Promise<string | null> {
  const { rows } = await db.executeQuery(findEnvelope([storeId, id]));
  return rows[0]?.json ?? null;
}

/** A page is read in parts, because sections may have large documents. */
const listed: ListItem = {
  name: 'section',
  table: 'section',
  alias: 's',
  json: () => sectionJson,
  bytes: 'octet_length(s.document::text)',
};

/**
 * Returns a page of the store's sections, oldest first, and their total number.
 * @throws invalid_cursor
 */
export async function listSections(db: Db, storeId: string, query: ListQuery): Promise<ListRead> {
  const page = parsePage('sections', [storeId], query, byTime('asc'));
  return readItems(db, listed, page, {
    kind: 'all',
    values: { storeId },
    total: ($) => `(select count(*) from section where store_id = ${$.storeId})`,
  });
}

/** Reads the remaining sections of a page, in its order. */
export const readSectionItems = defineParts(listed);

/** Returns a section with its document as JSON. A caller that changes it must hold the lock of the page list. */
export function findSection(
  db: Db,
  storeId: string,
  id: string,
): Promise<{ name: string; document: string } | undefined> {
  return db
    .selectFrom('section')
    .select(['name', sql<string>`document::text`.as('document')])
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** SQL for users of a kind that hold the section, in their saved documents or live. Each branch stops at the limit. */
const users = (type: SectionUser['type'], name: string, from: string, live: string) =>
  `(select '${type}' as type, t.id, t.${name} as name, ${live} as live from ${from} limit ${maxUsers})`;

const selectSavedUses = (kind: string) =>
  `section_use u join ${kind} t on t.store_id = u.store_id and t.id = u.owner_id
   where u.store_id = $1 and u.section_id = $2`;
const selectLiveUses = (kind: string) =>
  `live_page_dependency d join ${kind} t on t.store_id = d.store_id and t.id = d.page_id
   where d.store_id = $1 and d.kind = 'section' and d.ref = $2`;

const findUsers = prepare<SectionUser>(
  'section-users',
  `select used.type, used.id, used.name, bool_or(used.live) as live
   from (${[
     users('page', 'name', selectLiveUses('page'), 'true'),
     users('page', 'name', selectSavedUses('page'), 'false'),
     users('article', 'title', selectLiveUses('article'), `t.status = 'published'`),
     users('article', 'title', selectSavedUses('article'), 'false'),
     users('section', 'name', selectSavedUses('section'), 'false'),
     users('template', 'name', selectLiveUses(templateOwners), 'true'),
     users('template', 'name', selectSavedUses(templateOwners), 'false'),
   ].join(' union all ')}) used
   group by used.type, used.id, used.name order by live desc, used.type, used.name, used.id`,
);

/** Returns the users of a section, drafts included, live ones first. */
export async function listUsers(db: Db, storeId: string, sectionId: string): Promise<SectionUser[]> {
  return (await db.executeQuery(findUsers([storeId, sectionId]))).rows;
}

/** Whether a store has at least `sections` sections. No more than these are read. */
export async function hasSections(trx: Trx, storeId: string, sections: number): Promise<boolean> {
  const last = await trx
    .selectFrom('section')
    .select('id')
    .where('store_id', '=', storeId)
    .offset(sections - 1)
    .limit(1)
    .executeTakeFirst();
  return last !== undefined;
}

/** Inserts a section. */
export async function insertSection(
  trx: Trx,
  storeId: string,
  section: SectionWrite,
  userId: string,
  now: Date,
): Promise<void> {
  await trx
    .insertInto('section')
    .values({ store_id: storeId, ...section, saved_by: userId, created_at: now, updated_at: now })
    .execute();
}

/** Saves a section, which gets a new revision. */
export async function updateSection(
  trx: Trx,
  storeId: string,
  { id, name, document }: SectionWrite,
  userId: string,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('section')
    .set((eb) => ({
      name,
      document,
      revision: randomUUID(),
      saves: eb('saves', '+', 1),
      saved_by: userId,
      updated_at: changedAt(now),
    }))
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

/** Deletes a section. Returns whether it existed. */
export async function deleteSectionRow(trx: Trx, storeId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('section')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Returns the ids of some documents, saved and live, that hold a section. */
export async function listDocumentsWithSection(
  db: Db,
  storeId: string,
  sectionId: string,
): Promise<string[]> {
  const { rows } = await sql<Columns<Tables['section_use'], { id: 'owner_id' }>>`
    select owner_id as id from section_use where store_id = ${storeId} and section_id = ${sectionId}
    union
    select page_id from live_page_dependency
    where store_id = ${storeId} and kind = 'section' and ref = ${sectionId}
    order by id limit 20`.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns the number of a store's global sections, at most some thousands. */
export async function countSections(db: Db, storeId: string): Promise<number> {
  const { count } = await db
    .selectFrom('section')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow();
  return count;
}
