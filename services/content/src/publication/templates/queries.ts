import { prepare } from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import type { Kysely } from 'kysely';
import type { Tables } from '../../tables.ts';
import { type TemplateKind, templateId } from '../owners/template-kinds.ts';
import type { UsedApp } from '../rendering/sources.ts';
import type { DefaultFacts } from './defaults.ts';

type Db = Kysely<Tables>;

/** Computes `templateId` in SQL. */
export const templateIdIn = (kindColumn: string) => `'tpl_' || lower(${kindColumn})`;

/** SQL for templates as owners of documents, by the id of those. A store has only a few. */
export const templateOwners = `(select store_id, ${templateIdIn('kind')} as id, kind as name, draft from template)`;

/** A published template: its document, and the builds of apps' blocks that it was published with. */
export interface LiveTemplate {
  document: PageDocument;
  apps: Record<string, UsedApp>;
}

const live = prepare<LiveTemplate>(
  'live-template',
  `select document, sources -> 'apps' as apps from live_page where store_id = $1 and page_id = $2`,
);

/** Returns the published template of a kind; undefined when the default applies. */
export async function findLiveTemplate(
  db: Db,
  storeId: string,
  kind: TemplateKind,
): Promise<LiveTemplate | undefined> {
  return (await db.executeQuery(live([storeId, templateId(kind)]))).rows[0];
}

/** Maximum number of pages that a default has room for. */
const maxPages = 20;

/** The stored part of `DefaultFacts`. */
type StoredFacts = Pick<DefaultFacts, 'pages' | 'hasArticles' | 'logoMediaId'>;

const facts = prepare<StoredFacts>(
  'template-default-facts',
  `select coalesce((
     select json_agg(json_build_object('id', id, 'name', name, 'isHomepage', is_homepage) order by position)
     from (
       select * from page where store_id = $1 and (published_at is not null or id = $2)
       order by is_homepage desc, position limit ${maxPages}
     ) p
   ), '[]'::json) as pages,
   coalesce((select published > 0 from article_total where store_id = $1 and scope = ''), false) as "hasArticles",
   (select favicon_media_id from store_fact where store_id = $1) as "logoMediaId"`,
);

/** Returns the facts for a store's defaults, including a page that is about to go live. */
export async function findDefaultFacts(db: Db, storeId: string, goesLive?: string): Promise<StoredFacts> {
  return (await db.executeQuery(facts([storeId, goesLive ?? '']))).rows[0]!;
}
