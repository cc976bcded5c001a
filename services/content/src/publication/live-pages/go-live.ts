import type { IdempotentWrite } from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import type { Transaction } from 'kysely';
import type { Context, Write } from '../../config.ts';
import { errors } from '../../errors.ts';
import { lockPageList } from '../../shared/stores/queries.ts';
import type { Tables } from '../../tables.ts';
import { documentCopy, recordPublish } from '../history/history.ts';
import { type GatherOptions, gatherSources } from '../rendering/gather.ts';
import { Lookups } from '../rendering/lookups.ts';
import type { SectionSnapshot } from '../rendering/queries.ts';
import { renderer, renderPage } from '../rendering/render-page.ts';
import { collectDependencies, type Dependency } from '../rendering/sources.ts';
import {
  type LiveRendering,
  listAppsInUse,
  listUnpublished,
  publishSections,
  replaceDependencies,
  upsertLivePage,
} from './queries.ts';
import {
  deleteStale,
  findLastChange,
  hasChangedSince,
  markDependents,
  markOldBuilds,
  markPage,
  recordChanges,
} from './stale-queries.ts';

type Trx = Transaction<Tables>;

/** How often to retry when the document or a section is saved again while the page is being made. */
const maxAttempts = 5;

/** A page's or an article's document that waits to be published. */
export interface Publishable {
  /** The id of the page or article. */
  id: string;
  /** As JSON. */
  document: string;
  /** The future address of a page, so that it can link to itself. */
  goesLive?: GatherOptions['goesLive'];
  self?: GatherOptions['self'];
  /**
   * Consumes the document. Returns false when it is gone or was saved again. Called under the lock of the page list.
   */
  consume(write: Write): Promise<boolean>;
  /** Records that it is live, and returns the envelope for the answer as JSON. */
  finish(write: Write): Promise<string>;
}

/** Thrown, before anything is written, when the document or a section was saved again since the page was made. */
class StaleWrite extends Error {}

/** A document made into a page, and everything that must still hold when it goes live. */
interface PreparedPublish {
  storeId: string;
  /** The publishing user; null for an API key or an app. */
  userId: string | null;
  publishable: Publishable;
  document: PageDocument;
  rendering: LiveRendering;
  dependencies: Dependency[];
  sections: SectionSnapshot[];
  /** The number of the newest change when rendering began. */
  since: number;
  /**
   * The installed version of each app that live pages use; null when it is not available, undefined when it is unknown.
   */
  versions: ReadonlyMap<string, string | null | undefined>;
}

/**
 * Makes the document that `read` finds a live page, and returns what `toAnswer` makes of its envelope. The sections
 * that it holds go live as saved. Other live pages that hold them, or have old builds of blocks, are rendered again in
 * the background. Other services are asked before the transaction begins (`store-api.md 3, 4.12`,
 * `decisions.md 4.2, 4.4, 13.8`).
 * @throws resource_unavailable when the sources of the page cannot be read, and the errors of `read`
 */
export async function goLive<Given>(
  context: Context,
  storeId: string,
  userId: string | null,
  idempotentWrite: IdempotentWrite,
  read: () => Promise<Publishable>,
  toAnswer: (json: string) => Given,
): Promise<Given> {
  await idempotentWrite.begin(undefined);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const publication = await preparePublication(context, storeId, userId, await read());
    try {
      return await idempotentWrite.commit(async (write) => {
        write.afterCommit(() => context.wakeTask('make-stale-pages'));
        return toAnswer(await writeLivePage(write, publication));
      });
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error;
    }
  }
  throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
}

async function preparePublication(
  context: Context,
  storeId: string,
  userId: string | null,
  publishable: Publishable,
): Promise<PreparedPublish> {
  const { db } = context;
  const since = await findLastChange(db, storeId);
  const document: PageDocument = JSON.parse(publishable.document);
  const lookups = new Lookups(context, storeId);
  const { goesLive, self } = publishable;
  const { sources, tree, sections } = await gatherSources(context, storeId, document, lookups, {
    sections: 'saved',
    ...(goesLive && { goesLive }),
    ...(self && { self }),
  });
  const rendering = { sources, rendered: renderPage(publishable.id, tree, sources), renderer };
  const dependencies = collectDependencies(document, sources, tree);
  const versions = await installedVersions(context, await listAppsInUse(db, storeId), lookups);
  return { storeId, userId, publishable, document, rendering, dependencies, sections, since, versions };
}

/** Returns the installed versions of apps. A page without blocks goes live whether or not the app platform answers. */
async function installedVersions(
  { log }: Context,
  appIds: readonly string[],
  lookups: Lookups,
): Promise<PreparedPublish['versions']> {
  if (appIds.length === 0) return new Map();
  const installed = await lookups.apps().catch((err) => {
    log.warn({ err }, 'pages with blocks wait for the versions of their apps from the app platform');
    return undefined;
  });
  return new Map(appIds.map((id) => [id, installed && (installed.get(id)?.versionId ?? null)]));
}

/** Writes a live page, and returns the envelope for the answer as JSON. Throws `StaleWrite`. */
async function writeLivePage(write: Write, publication: PreparedPublish): Promise<string> {
  const { trx, audit } = write;
  const { storeId, publishable, rendering, sections, versions } = publication;
  // Saves of documents and sections lock the list too, so everything checked here stays true.
  await lockPageList(trx, storeId);
  const changed = await listUnpublished(trx, storeId, sections);
  if (!changed || !(await publishable.consume(write))) throw new StaleWrite();
  await audit(storeId, 'section.published', await publishSections(trx, storeId, changed));
  await upsertLivePage(trx, storeId, publishable.id, publishable.document, rendering);

  const immediately = { takesNewBuilds: true, delayMs: 0 };
  const sectionChanges = changed.map((ref) => ({ kind: 'section' as const, ref }));
  await markDependents(trx, storeId, sectionChanges, immediately);
  await markOldBuilds(trx, storeId, versions, immediately);
  await updateDependencies(trx, publication);
  // Pages being made from the previous state depend on the sections only from their own commit on, so the change must
  // be recorded.
  await recordChanges(trx, storeId, sectionChanges);
  await recordPublishes(trx, publication, changed);
  return publishable.finish(write);
}

/** Records the publish in the histories of the document and of each changed section that it holds. */
async function recordPublishes(
  trx: Trx,
  { storeId, userId, publishable, document, sections }: PreparedPublish,
  changed: readonly string[],
): Promise<void> {
  await recordPublish(trx, storeId, publishable.id, userId, documentCopy(publishable.document, document));
  for (const section of sections.filter(({ id }) => changed.includes(id))) {
    const text = JSON.stringify(section.document);
    await recordPublish(trx, storeId, section.id, userId, documentCopy(text, section.document));
  }
}

/**
 * Records the dependencies of the page and removes it from the queue, because it is up to date, unless one of its
 * sources has changed meanwhile.
 */
async function updateDependencies(
  trx: Trx,
  { storeId, publishable: { id: pageId }, dependencies, since }: PreparedPublish,
): Promise<void> {
  await replaceDependencies(trx, storeId, pageId, dependencies);
  await deleteStale(trx, { storeId, pageId });
  if (await hasChangedSince(trx, storeId, since, dependencies)) {
    await markPage(trx, storeId, pageId, { takesNewBuilds: true, delayMs: 0 });
  }
}
