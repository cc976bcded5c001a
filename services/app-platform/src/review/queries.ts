import { type Order, type PageQuery, parsePage, readList } from '@waybill/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import { type VersionRow, versionColumns } from '../versions/queries.ts';
import type { VersionState } from '../versions/routes.ts';

type Db = Kysely<Tables>;

export interface ReviewRow extends VersionRow {
  app_name: string;
  org_id: string;
  suspended_at: Date | null;
}

const bySubmission: Order = [
  { column: 'app_version.submitted_at', type: 'timestamptz', dir: 'asc', nulls: 'last' },
  { column: 'app_version.id', type: 'text', dir: 'asc' },
];

/**
 * Returns a page of versions for review across all organisations, oldest submission first.
 * @throws invalid_cursor
 */
export function listForReview(db: Db, query: PageQuery & { state?: VersionState | undefined }) {
  const matching = db
    .selectFrom('app_version')
    .where('app_version.state', query.state ? '=' : '<>', query.state ?? 'draft');
  const rows = matching
    .innerJoin('app', 'app.id', 'app_version.app_id')
    .select(versionColumns)
    .select(['app.name as app_name', 'app.org_id', 'app.suspended_at']);
  return readList(rows, matching, parsePage('reviews', [], query, bySubmission));
}

/** Returns the facts about an app's organisation that reviewers see. */
export async function findReviewedOrg(db: Db, orgId: string) {
  const { rows } = await sql<ReviewedOrgRow>`
    select id, name, created_at,
      (select count(*) from org_member where org_id = organisation.id) as members,
      (select count(*) from app where org_id = organisation.id) as apps,
      reviewed.approvals, reviewed.rejections
    from organisation cross join lateral (
      select count(*) filter (where state in ('approved', 'withdrawn')) as approvals,
        count(*) filter (where state = 'rejected') as rejections
      from app_version join app on app.id = app_version.app_id where app.org_id = organisation.id
    ) reviewed
    where id = ${orgId}`.execute(db);
  return rows[0];
}
export interface ReviewedOrgRow {
  id: string;
  name: string;
  created_at: Date;
  members: number;
  apps: number;
  approvals: number;
  rejections: number;
}

export function findForReview(db: Db, versionId: string): Promise<ReviewRow | undefined> {
  return db
    .selectFrom('app_version')
    .innerJoin('app', 'app.id', 'app_version.app_id')
    .select(versionColumns)
    .select(['app.name as app_name', 'app.org_id', 'app.suspended_at'])
    .where('app_version.id', '=', versionId)
    .executeTakeFirst();
}
