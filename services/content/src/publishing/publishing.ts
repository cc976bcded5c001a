import { PagePublished } from '@waybill/contracts';
import { emit } from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import type { Transaction } from 'kysely';
import type { Context } from '../config.ts';
import { type Draft, deleteDraft, findDraft, findLiveDocument } from '../drafts/queries.ts';
import { errors } from '../errors.ts';
import { type DocumentHtml, documentHtml } from '../live/document-html.ts';
import { findLanguages } from '../live/queries.ts';
import { findPage, findPageEnvelope, lockPageList, type PageRow } from '../pages/queries.ts';
import type { Tables } from '../tables.ts';
import { gatherSources } from './gather.ts';
import { createLookups, type Lookups } from './lookups.ts';
import { makePage, renderer } from './make.ts';
import {
  listAppsInUse,
  listUnpublished,
  type Making,
  markPublished,
  publishSections,
  replaceDependencies,
  type SectionState,
  upsertLivePage,
} from './queries.ts';
import { dependenciesOf } from './sources.ts';
import { noteChanges } from './stale.ts';
import {
  changedSince,
  deleteStale,
  lastChange,
  markDependents,
  markOldBuilds,
  markPage,
} from './stale-queries.ts';

type Trx = Transaction<Tables>;

/** As often as the draft or a section may be saved again while the page is being made. */
const maxAttempts = 5;

/** A draft made into a page, and everything that has to be still so when it goes live. */
interface Publication {
  storeId: string;
  page: PageRow;
  draft: Draft;
  document: PageDocument;
  making: Making;
  sections: SectionState[];
  /** The number of the newest change when the making began. */
  since: number;
  /** The installed version of each app that live pages use: null where it is not available, undefined if nobody said. */
  versions: ReadonlyMap<string, string | null | undefined>;
}

/**
 * Makes a page's saved draft its live page, consumes the draft, and emits `page.published`. The sections that it
 * holds go live as they are saved; other live pages that hold them, and those with old builds of blocks, are made
 * again in the background. Gives the `{ page }` envelope as JSON. `store-api.md 3, 4.12`, `decisions.md 4.2, 4.4`.
 * @throws not_found, nothing_to_publish, resource_unavailable when what the page shows cannot be asked for
 */
export async function publishPage(context: Context, storeId: string, pageId: string): Promise<string> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const publication = await preparePublication(context, storeId, pageId);
    const json = await context.transaction((trx) => goLive(context, trx, publication));
    if (json) {
      context.wake('make-stale-pages');
      return json;
    }
  }
  throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
}

async function preparePublication(context: Context, storeId: string, pageId: string): Promise<Publication> {
  const { db } = context;
  const page = await findPage(db, storeId, pageId);
  if (!page) throw errors.not_found();
  const draft = await findDraft(db, storeId, pageId);
  if (!draft) throw errors.nothing_to_publish();
  const since = await lastChange(db, storeId);
  const document: PageDocument = JSON.parse(draft.document);
  const lookups = createLookups(context, storeId);
  const { sources, sections } = await gatherSources(context, storeId, document, lookups, {
    sections: 'saved',
    goesLive: { id: pageId, slug: page.is_homepage ? '' : page.slug },
  });
  const making = { sources, rendered: makePage(document, sources), renderer };
  const versions = await installedVersions(context, await listAppsInUse(db, storeId), lookups);
  return { storeId, page, draft, document, making, sections, since, versions };
}

/** A page that holds no blocks goes live whether the app platform answers or not. */
async function installedVersions(
  { log }: Context,
  appIds: readonly string[],
  lookups: Lookups,
): Promise<Publication['versions']> {
  if (appIds.length === 0) return new Map();
  const installed = await lookups.apps().catch((err) => {
    log.warn({ err }, 'pages with blocks wait for the app platform to say how new those are');
    return undefined;
  });
  return new Map(appIds.map((id) => [id, installed && (installed.get(id)?.versionId ?? null)]));
}

/** Null: the draft or a section was saved again since the page was made of it, and nothing is written. */
async function goLive(context: Context, trx: Trx, publication: Publication): Promise<string | null> {
  const { storeId, page, draft, making, sections, versions } = publication;
  // Whoever saves a draft or a section holds the list as well: what is checked here stays so.
  await lockPageList(trx, storeId);
  const changed = await listUnpublished(trx, storeId, sections);
  if (!changed || !(await deleteDraft(trx, storeId, page.id, draft.revision))) return null;
  await publishSections(trx, storeId, changed);
  await upsertLivePage(trx, storeId, page.id, draft.document, making);
  const isNew = await markPublished(trx, storeId, page.id, new Date());

  const atOnce = { takesNewBuilds: true, delayMs: 0 };
  const held = changed.map((ref) => ({ kind: 'section' as const, ref }));
  await markDependents(trx, storeId, held, atOnce);
  await markOldBuilds(trx, storeId, versions, atOnce);
  await settleOwnDependencies(trx, publication);
  // Links to a page lead nowhere before it is live.
  if (isNew) await noteChanges(trx, storeId, [{ kind: 'page', ref: page.id }]);

  const json = await findPageEnvelope(trx, storeId, page.id, context.config);
  await emit(trx, PagePublished, storeId, { json: json! });
  return json;
}

/** The page is as new as what it was made of: it waits in no line, unless something of that has changed meanwhile. */
async function settleOwnDependencies(
  trx: Trx,
  { storeId, page, document, making, since }: Publication,
): Promise<void> {
  const dependencies = dependenciesOf(document, making.sources);
  await replaceDependencies(trx, storeId, page.id, dependencies);
  await deleteStale(trx, { storeId, pageId: page.id });
  if (await changedSince(trx, storeId, since, dependencies)) {
    await markPage(trx, storeId, page.id, { takesNewBuilds: true, delayMs: 0 });
  }
}

/**
 * The HTML that publishing the page's draft would give now, byte for byte; nothing is stored. Without a draft: what
 * making the live page again would give.
 * @throws not_found, nothing_to_publish for a page with neither, resource_unavailable
 */
export async function previewPage(context: Context, storeId: string, pageId: string): Promise<DocumentHtml> {
  const { db } = context;
  const page = await findPage(db, storeId, pageId);
  if (!page) throw errors.not_found();
  const draft = await findDraft(db, storeId, pageId);
  const text = draft?.document ?? (await findLiveDocument(db, storeId, pageId));
  if (!text) throw errors.nothing_to_publish();
  const document: PageDocument = JSON.parse(text);
  const lookups = createLookups(context, storeId);
  const { store, sources } = await gatherSources(context, storeId, document, lookups, {
    sections: 'saved',
    goesLive: { id: pageId, slug: page.is_homepage ? '' : page.slug },
  });
  const { name, slug, is_homepage } = page;
  const head = {
    ...{ storeName: store.name, storeSlug: store.slug, name, slug, is_homepage },
    settings: page.settings as Record<string, unknown>,
    ...(await findLanguages(db, storeId)),
  };
  return documentHtml(context.config, head, makePage(document, sources));
}
