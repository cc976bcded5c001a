import { type PageQuery, parsePage, readList } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { orderByNumber, versionColumns } from '../versions/queries.ts';

/**
 * Returns a page of the versions of an app that a store may have, newest first: the approved ones, and the installed
 * one.
 * @throws invalid_cursor
 */
export function listStoreVersions(
  db: Kysely<Tables>,
  { storeId, appId }: { storeId: string; appId: string },
  installedId: string | undefined,
  query: PageQuery,
) {
  const offered = db
    .selectFrom('app_version')
    .where('app_id', '=', appId)
    .where((eb) => eb.or([eb('state', '=', 'approved'), eb('id', '=', installedId ?? '')]));
  const page = parsePage('store-versions', [storeId, appId], query, orderByNumber);
  return readList(offered.select(versionColumns), offered, page);
}
