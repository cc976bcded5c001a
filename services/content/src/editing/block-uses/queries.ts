import type { BlockUse } from '@waybill/contracts';
import { compileUnprepared } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { templateOwners } from '../../publication/templates/queries.ts';
import type { Tables } from '../../tables.ts';

/** The places of one block. */
export type BlockPlacements = Pick<BlockUse, 'blockKey' | 'places' | 'hasMore'>;

/** Maximum number of other blocks in the answer: documents may refer to any number of blocks that no version has. */
const maxOtherUses = 48;

interface PlacementQuery {
  storeId: string;
  appId: string;
  blockKeys: readonly string[];
  limit: number;
}

/** SQL that checks whether a document holds `b.held`, in the form of the indexes of `0070_block_uses.online.sql`. */
const holds = (document: string) =>
  `${document}::text like '%Ref"%' and held_in(${document}) @> array[b.held]`;

/**
 * SQL for the places of one type, which `from` finds as `t` for the blocks `b`. `live` tells whether visitors see the
 * block there. `versions` is the SQL of the version of the app that the place was made with.
 */
function selectPlaces(
  [type, name, order]: readonly [
    type: 'page' | 'article' | 'section' | 'template',
    name: string,
    order: string,
  ],
  from: string,
  { live, versions = 'null::text' }: { live: boolean; versions?: string },
): string {
  return `select '${type}' as type, b.ref, t.id, t.${name} as name, ${order} as position,
    ${live} as live, ${!live} as draft, ${versions} as version from ${from}`;
}
const page = ['page', 'name', 't.position'] as const;
const article = ['article', 'title', '0'] as const;
const section = ['section', 'name', '0'] as const;
const template = ['template', 'name', '0'] as const;

/** The statement of `listBlockPlacements`. */
export const listPlacements = compileUnprepared<BlockPlacements, PlacementQuery>(($) => {
  /** SQL for a sought block, followed by the sections that show it, at any depth, according to `document`. */
  const holders = (self: string, document: string) => `${self} (ref, held) as (
    select ref, ref from wanted
    union select b.ref, s.id from ${self} b join section s on s.store_id = ${$.storeId} and ${holds(document)}
  )`;
  /** SQL that joins the row of a table that contains the place. */
  const joinPlace = (table: string, id: string) =>
    `join ${table} t on t.store_id = ${$.storeId} and t.id = ${id}`;
  /** SQL for the drafts of a table whose saved documents show a sought block. */
  const drafts = (table: string) =>
    `saved b join ${table} d on d.store_id = ${$.storeId} and ${holds('d.document')}`;
  /** SQL that joins a live page's dependency `d` with the version of the app that the page was made with. */
  const withAppVersion = `left join live_page_dependency a
    on a.store_id = d.store_id and a.kind = 'app' and a.ref = ${$.appId} and a.page_id = d.page_id`;
  const shown = `wanted b
    join live_page_dependency d on d.store_id = ${$.storeId} and d.kind = 'block' and d.ref = b.ref ${withAppVersion}`;
  /**
   * Selects where visitors see the section `t`. The live form of an article that is a draft again is hidden from them.
   */
  const onLivePages = `from live_page_dependency d ${withAppVersion}
    left join article x on x.store_id = d.store_id and x.id = d.page_id
    where d.store_id = ${$.storeId} and d.kind = 'section' and d.ref = t.id and x.status is distinct from 'draft'`;
  const live = { live: true, versions: 'a.version' };
  // One query for each way in which a block is shown.
  const ways = [
    selectPlaces(page, `${shown} ${joinPlace('page', 'd.page_id')}`, live),
    selectPlaces(page, `${drafts('page_draft')} ${joinPlace('page', 'd.page_id')}`, { live: false }),
    selectPlaces(article, `${shown} ${joinPlace('article', 'd.page_id')} and t.status = 'published'`, live),
    selectPlaces(
      article,
      `${drafts('article_document')} ${joinPlace('article', 'd.article_id')} and t.body_type = 'page'
       where t.status = 'draft' or d.published_revision is distinct from d.revision`,
      { live: false },
    ),
    selectPlaces(template, `${shown} ${joinPlace(templateOwners, 'd.page_id')}`, live),
    selectPlaces(
      template,
      `saved b join ${templateOwners} t on t.store_id = ${$.storeId} and ${holds('t.draft')}`,
      {
        live: false,
      },
    ),
    selectPlaces(
      section,
      `live b ${joinPlace('section', 'b.held')}
       cross join lateral (select distinct a.version ${onLivePages}) a`,
      live,
    ),
    selectPlaces(
      section,
      `saved b ${joinPlace('section', 'b.held')}
       where t.live_revision is distinct from t.revision or not exists (select ${onLivePages})`,
      { live: false },
    ),
  ];
  return `
    with recursive wanted (ref) as (
      select ${$.appId} || '/' || key from unnest(${$.blockKeys}::text[]) as key
      union
      (select distinct ref from live_page_dependency
       where store_id = ${$.storeId} and kind = 'block' and starts_with(ref, ${$.appId} || '/')
         and substr(ref, length(${$.appId}) + 2) <> all (${$.blockKeys}::text[])
       limit ${maxOtherUses})
    ),
    ${holders('saved', 's.document')},
    ${holders('live', 'coalesce(s.live_document, s.document)')},
    placement as (${ways.join(' union all ')}),
    thing as (
      select ref, type, id, name, position, bool_or(live) as live, bool_or(draft) as draft,
        coalesce(array_agg(version) filter (where version is not null), '{}') as versions,
        row_number() over (partition by ref, type order by position, name, id) as number
      from placement group by ref, type, id, name, position
    )
    select substr(ref, length(${$.appId}) + 2) as "blockKey",
      json_agg(
        json_build_object(
          'type', type, 'id', id, 'name', name, 'live', live, 'draft', draft, 'versionIds', versions
        ) order by array_position('{page,article,section,template}', type), number
      ) filter (where number <= ${$.limit}) as places,
      bool_or(number > ${$.limit}) as "hasMore"
    from thing group by ref order by ref`;
});

/**
 * Returns the places of each of these blocks of an app, and of every other block that live pages refer to; at most
 * `limit` of each kind.
 */
export async function listBlockPlacements(
  db: Kysely<Tables>,
  storeId: string,
  appId: string,
  blockKeys: readonly string[],
  limit: number,
): Promise<BlockPlacements[]> {
  return (await db.executeQuery(listPlacements({ storeId, appId, blockKeys, limit }))).rows;
}
