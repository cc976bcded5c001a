import type { IdempotentWrite } from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import type { Transaction } from 'kysely';
import type { Context, Write } from '../../config.ts';
import { errors } from '../../errors.ts';
import { lockPageList } from '../../shared/stores/queries.ts';
import type { Tables } from '../../tables.ts';
import { documentCopy, recordPublish } from '../history/history.ts';
import { type GatherOptions, gatherSources } from '../rendering/gather.ts';
import { createLookups, type Lookups } from '../rendering/lookups.ts';
import { renderer, renderPage } from '../rendering/make.ts';
import type { SectionSnapshot } from '../rendering/queries.ts';
import { type Dependency, dependenciesOf } from '../rendering/sources.ts';
import {
  type LiveRendering,
  listAppsInUse,
  listUnpublished,
  publishSections,
  replaceDependencies,
  upsertLivePage,
} from './queries.ts';
import {
  changedSince,
  deleteStale,
  lastChange,
  markDependents,
  markOldBuilds,
  markPage,
  recordChanges,
} from './stale-queries.ts';

type Trx = Transaction<Tables>;

/** As often as the document or a section may be saved again while the page is being made. */
const maxAttempts = 5;

/** What waits to be published of a page or an article. */
export interface Publishable {
  /** The page's or the article's. */
  id: string;
  /** JSON. */
  document: string;
  /** Of a page: where it will be, so that it can link to itself. */
  goesLive?: GatherOptions['goesLive'];
  self?: GatherOptions['self'];
  /** Takes it; false when it is gone or another save came. Called under the lock of the page list. */
  consume(write: Write): Promise<boolean>;
  /** Notes that it is live; gives the envelope that is answered, as JSON. */
  finish(write: Write): Promise<string>;
}

/** Thrown where the document or a section was saved again since the page was made of it: nothing is written. */
class StaleWrite extends Error {}

/** A document made into a page, and everything that has to be still so when it goes live. */
interface Publication {
  storeId: string;
  /** Who publishes; null: an API key or an app. */
  userId: string | null;
  waiting: Publishable;
  document: PageDocument;
  making: LiveRendering;
  dependencies: Dependency[];
  sections: SectionSnapshot[];
  /** The number of the newest change when the making began. */
  since: number;
  /** The installed version of each app that live pages use: null where it is not available, undefined if nobody said. */
  versions: ReadonlyMap<string, string | null | undefined>;
}

/**
 * Makes what `read` finds a live page, and gives what `answerOf` makes of its envelope. The sections that it holds go live
 * as they are saved; other live pages that hold them, and those with old builds of blocks, are made again in the
 * background. What the page shows is asked of its services before there is a transaction. `store-api.md 3, 4.12`,
 * `decisions.md 4.2, 4.4, 13.8`.
 * @throws resource_unavailable when what the page shows cannot be asked for, and what `read` throws
 */
export async function goLive<Given>(
  context: Context,
  storeId: string,
  userId: string | null,
  once: IdempotentWrite,
  read: () => Promise<Publishable>,
  answerOf: (json: string) => Given,
): Promise<Given> {
  await once.begin(undefined);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const publication = await preparePublication(context, storeId, userId, await read());
    try {
      return await once.commit(async (write) => {
        write.afterCommit(() => context.wake('make-stale-pages'));
        return answerOf(await putLive(write, publication));
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
  waiting: Publishable,
): Promise<Publication> {
  const { db } = context;
  const since = await lastChange(db, storeId);
  const document: PageDocument = JSON.parse(waiting.document);
  const lookups = createLookups(context, storeId);
  const { goesLive, self } = waiting;
  const { sources, tree, sections } = await gatherSources(context, storeId, document, lookups, {
    sections: 'saved',
    ...(goesLive && { goesLive }),
    ...(self && { self }),
  });
  const making = { sources, rendered: renderPage(waiting.id, tree, sources), renderer };
  const dependencies = dependenciesOf(document, sources, tree);
  const versions = await installedVersions(context, await listAppsInUse(db, storeId), lookups);
  return { storeId, userId, waiting, document, making, dependencies, sections, since, versions };
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

/** Gives the envelope that is answered, as JSON. Throws `StaleWrite`. */
async function putLive(write: Write, publication: Publication): Promise<string> {
  const { trx, audit } = write;
  const { storeId, waiting, making, sections, versions } = publication;
  // Whoever saves a document or a section holds the list as well: what is checked here stays so.
  await lockPageList(trx, storeId);
  const changed = await listUnpublished(trx, storeId, sections);
  if (!changed || !(await waiting.consume(write))) throw new StaleWrite();
  await audit(storeId, 'section.published', await publishSections(trx, storeId, changed));
  await upsertLivePage(trx, storeId, waiting.id, waiting.document, making);

  const atOnce = { takesNewBuilds: true, delayMs: 0 };
  const held = changed.map((ref) => ({ kind: 'section' as const, ref }));
  await markDependents(trx, storeId, held, atOnce);
  await markOldBuilds(trx, storeId, versions, atOnce);
  await settleOwnDependencies(trx, publication);
  // Pages that are being made with what these were depend on them only from their commit on.
  await recordChanges(trx, storeId, held);
  await recordPublishes(trx, publication, changed);
  return waiting.finish(write);
}

/** A section is published with the pages that hold it, where it has changed. */
async function recordPublishes(
  trx: Trx,
  { storeId, userId, waiting, document, sections }: Publication,
  changed: readonly string[],
): Promise<void> {
  await recordPublish(trx, storeId, waiting.id, userId, documentCopy(waiting.document, document));
  for (const section of sections.filter(({ id }) => changed.includes(id))) {
    const text = JSON.stringify(section.document);
    await recordPublish(trx, storeId, section.id, userId, documentCopy(text, section.document));
  }
}

/** The page is as new as what it was made of: it waits in no line, unless something of that has changed meanwhile. */
async function settleOwnDependencies(
  trx: Trx,
  { storeId, waiting: { id: pageId }, dependencies, since }: Publication,
): Promise<void> {
  await replaceDependencies(trx, storeId, pageId, dependencies);
  await deleteStale(trx, { storeId, pageId });
  if (await changedSince(trx, storeId, since, dependencies)) {
    await markPage(trx, storeId, pageId, { takesNewBuilds: true, delayMs: 0 });
  }
}
