import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { type VersionRow, versionColumns } from '../versions/queries.ts';
import type { VersionState } from '../versions/routes.ts';

type Db = Kysely<Tables>;

export interface ReviewRow extends VersionRow {
  app_name: string;
  org_id: string;
  suspended_at: Date | null;
}

/** Over all organisations: what was submitted first comes first. */
export async function listForReview(
  db: Db,
  { state, limit, offset }: { state?: VersionState | undefined; limit: number; offset: number },
): Promise<{ rows: ReviewRow[]; total: number }> {
  const matching = db
    .selectFrom('app_version')
    .where('app_version.state', state ? '=' : '<>', state ?? 'draft');
  const [rows, { total }] = await Promise.all([
    matching
      .innerJoin('app', 'app.id', 'app_version.app_id')
      .select(versionColumns)
      .select(['app.name as app_name', 'app.org_id', 'app.suspended_at'])
      .orderBy('app_version.submitted_at')
      .orderBy('app_version.id')
      .limit(limit)
      .offset(offset)
      .execute(),
    matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
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
