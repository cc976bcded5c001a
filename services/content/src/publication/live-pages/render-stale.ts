import { Gauge, metrics, type TaskDefinition } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { lockPageList } from '../../shared/stores/queries.ts';
import { documentOwner } from '../owners/owner.ts';
import { gatherSources } from '../rendering/gather.ts';
import { Lookups } from '../rendering/lookups.ts';
import { renderer, renderPage } from '../rendering/render-page.ts';
import { collectDependencies, type Dependency } from '../rendering/sources.ts';
import { findLivePage, type LiveRendering, replaceDependencies, replaceLivePage } from './queries.ts';
import {
  claimStale,
  deleteOldChanges,
  deleteStale,
  findLastChange,
  hasChangedSince,
  markOldRenderings,
  measureStale,
  postponeStale,
  recordChanges,
  releaseStale,
  type StalePage,
} from './stale-queries.ts';

/**
 * Number of pages of one store in a turn, which share their requests to other services. Stores take turns, so that one
 * with thousands of pages does not delay the others.
 */
const batchSize = 20;
const leaseSeconds = 30;
const maxBackOffSeconds = 60;
/**
 * Number of pages of another renderer that are queued at a time. The next ones follow when the queue is empty, because
 * each search has to skip all that are queued already.
 */
const oldBatchSize = 2_000;

const stalePages = new Gauge({
  name: 'waybill_stale_pages',
  help: 'Live pages that show something which has changed and are to be made again, counted to 10,000.',
  registers: [metrics],
});
const oldestStaleSeconds = new Gauge({
  name: 'waybill_stale_oldest_seconds',
  help: 'For how long the oldest of them has been due; 0 when none is. One that is in hand, or has failed, is due later.',
  registers: [metrics],
});
const failingPages = new Gauge({
  name: 'waybill_stale_failing_pages',
  help: 'Those of them that have failed six times in a row or more, for a minute at least: they show what held before.',
  registers: [metrics],
});

/** Sets the gauges of pages to be rendered again. */
async function measure(db: Context['db']): Promise<void> {
  const { waiting, oldestSeconds, failing } = await measureStale(db);
  stalePages.set(waiting);
  oldestStaleSeconds.set(oldestSeconds);
  failingPages.set(failing);
}

/**
 * Lists the background tasks. They render live pages whose sources have changed, each completely or not at all. A kill
 * leaves pages in the queue, and rendering one twice changes nothing.
 */
export function tasks(context: Context): TaskDefinition[] {
  const { db, transaction, bus } = context;
  let leasesAreOurs = !bus.isSingleProcess;
  let lastStore = '';
  /** Whether there may be more pages of another renderer than are queued. */
  let hasOldRenderings = false;
  async function queueOldRenderings(): Promise<void> {
    hasOldRenderings = await transaction((trx) => markOldRenderings(trx, renderer, oldBatchSize));
  }
  return [
    {
      name: 'make-stale-pages',
      everyMs: 300,
      async run() {
        if (!leasesAreOurs) {
          await releaseStale(db);
          leasesAreOurs = true;
        }
        const store = await renderStalePages(context, lastStore);
        // After the last store the first one comes again.
        const mayBeMore = store !== undefined || lastStore !== '';
        lastStore = store ?? '';
        if (mayBeMore || !hasOldRenderings) return mayBeMore;
        await queueOldRenderings();
        return true;
      },
    },
    {
      // Two renderers that run side by side during a deployment must not undo each other's work all the time.
      name: 'find-old-renderings',
      everyMs: 600_000,
      run: queueOldRenderings,
    },
    { name: 'measure-stale-pages', everyMs: 15_000, run: () => measure(db) },
    { name: 'delete-old-changes', everyMs: 600_000, run: () => deleteOldChanges(db, 1, 5000) },
  ];
}

/**
 * Renders some pages of the next store in turn. Returns its id, or undefined when no store after `afterStore` has any.
 */
async function renderStalePages(context: Context, afterStore: string): Promise<string | undefined> {
  const claimed = await claimStale(context.db, afterStore, batchSize, leaseSeconds);
  const [first] = claimed;
  if (!first) return undefined;
  const since = await findLastChange(context.db, first.storeId);
  const lookups = new Lookups(context, first.storeId);
  for (const stale of claimed) {
    try {
      await rerenderPage(context, stale, since, lookups);
    } catch (err) {
      const failures = stale.failures + 1;
      context.log.warn(
        { err, pageId: stale.pageId, failures },
        'a live page could not be rendered again yet',
      );
      await postponeStale(context.db, stale, failures, Math.min(2 ** failures / 2, maxBackOffSeconds));
    }
  }
  return first.storeId;
}

async function rerenderPage(
  context: Context,
  stale: StalePage,
  since: number,
  lookups: Lookups,
): Promise<void> {
  const { storeId, pageId, takesNewBuilds } = stale;
  const live = await findLivePage(context.db, storeId, pageId);
  if (!live) return;
  const { sources, tree } = await gatherSources(context, storeId, live.document, lookups, {
    sections: 'live',
    ...(!takesNewBuilds && { keep: live.sources.apps }),
    ...(live.name !== null && { self: { id: pageId, name: live.name } }),
  });
  const rendering = { sources, rendered: renderPage(pageId, tree, sources), renderer };
  const dependencies = collectDependencies(live.document, sources, tree);
  const hasNewBuilds = JSON.stringify(sources.apps) !== JSON.stringify(live.sources.apps);
  await replace(context, stale, live.version, rendering, dependencies, since, hasNewBuilds);
}

/**
 * Replaces a live page by its new rendering. If another version was published or rendered in the meantime, keeps that
 * one, and the page waits for its next turn.
 */
async function replace(
  { transaction }: Context,
  stale: StalePage,
  version: number,
  rendering: LiveRendering,
  dependencies: readonly Dependency[],
  since: number,
  hasNewBuilds: boolean,
): Promise<void> {
  const { storeId, pageId } = stale;
  await transaction(async (trx) => {
    await lockPageList(trx, storeId);
    const isReplaced = await replaceLivePage(trx, storeId, pageId, version, rendering);
    if (isReplaced) await replaceDependencies(trx, storeId, pageId, dependencies);
    // Pages that are made from a template at a visit use its builds.
    if (isReplaced && hasNewBuilds && documentOwner(pageId).kind === 'template') {
      await recordChanges(trx, storeId, [{ kind: 'template', ref: pageId }]);
    }
    if (isReplaced && !(await hasChangedSince(trx, storeId, since, dependencies)))
      await deleteStale(trx, stale);
    else await postponeStale(trx, stale, 0, 0);
  });
}
