import { findFreeSlug, newId, storeLimits } from '@waybill/contracts';
import { applyChange, requireValues, type ValuesChange } from '@waybill/custom-fields';
import { violatedConstraint } from '@waybill/kernel';
import { deriveSlug } from '@waybill/slugs';
import type { Transaction } from 'kysely';
import type { Context, Write } from '../../config.ts';
import { errors } from '../../errors.ts';
import { deleteDocumentRecords } from '../../publication/documents/documents.ts';
import { bumpMapRevision } from '../../publication/live-pages/map-revision.ts';
import { deleteLivePage } from '../../publication/live-pages/queries.ts';
import { invalidateDependents } from '../../publication/live-pages/stale.ts';
import { recordChanges } from '../../publication/live-pages/stale-queries.ts';
import { addRedirect, deleteRedirects, removeRedirect } from '../../shared/former-slugs/queries.ts';
import { lockPageList } from '../../shared/stores/queries.ts';
import type { Tables } from '../../tables.ts';
import { deleteTexts, filledPageTexts, replaceTexts } from '../../translations/values/translatable.ts';
import {
  deletePageRow,
  demoteHomepage,
  ensurePageRanks,
  findExistingSlugs,
  findPage,
  findPageEnvelope,
  insertPage,
  movePage,
  promoteFirst,
  shiftPages,
  touchPage,
  updatePage,
} from './queries.ts';
import type { PageChange, PageInput } from './routes.ts';

type Trx = Transaction<Tables>;

const maxSettingsBytes = 64 * 1024;

/**
 * Creates a page; the first of a store becomes its homepage. Returns the `{ page }` envelope as JSON
 * (`store-api.md 2.4a`, `decisions.md 4.1`).
 * @throws duplicate_slug, too_many_pages, invalid_body for settings that are too large
 */
export function createPage(
  { trx }: Write,
  { config }: Pick<Context, 'config'>,
  storeId: string,
  input: PageInput,
  fields: ValuesChange,
): Promise<string> {
  requireValues(fields);
  const customFields = applyChange({}, fields);
  const settings = settingsText(input.settings ?? {});
  return refusingTakenSlug(async () => {
    const pages = await lockPageList(trx, storeId);
    if (pages >= storeLimits.pages) throw errors.too_many_pages();
    const now = new Date();
    const id = newId('page');
    const { name } = input;
    const slug = input.slug ?? (await deriveFreeSlug(trx, storeId, id, name));
    const position = Math.min(input.position ?? pages, pages);
    await ensurePageRanks(trx, storeId);
    if (position < pages) await shiftPages(trx, storeId, position, 1);
    const isHomepage = pages === 0 || input.isHomepage === true;
    if (isHomepage) await notePages(trx, storeId, [await demoteHomepage(trx, storeId, now)]);
    // The sitemap contains the built-in front page as long as there is no page.
    if (pages === 0) await bumpMapRevision(trx, storeId);
    await insertPage(trx, storeId, { id, name, slug, position, isHomepage, settings, customFields }, now);
    await removeRedirect(trx, storeId, 'page', id, slug);
    await setPageTexts(trx, storeId, id, name, settings);
    return (await findPageEnvelope(trx, storeId, id, config))!;
  });
}

/**
 * Changes the given fields that differ. `updatedAt` changes with the page itself, also when it becomes the homepage or
 * ceases to be, but not when others shift it. Returns the `{ page }` envelope as JSON.
 * @throws not_found, duplicate_slug, invalid_body for settings that are too large
 */
export function changePage(
  { trx }: Write,
  { config }: Pick<Context, 'config'>,
  storeId: string,
  id: string,
  change: PageChange,
  fields: ValuesChange,
): Promise<string> {
  const givenSettings = change.settings && settingsText(change.settings);
  return refusingTakenSlug(async () => {
    const pages = await lockPageList(trx, storeId);
    const page = await findPage(trx, storeId, id);
    if (!page) throw errors.not_found();
    const now = new Date();
    const present = JSON.stringify(page.settings);
    const {
      name = page.name,
      slug = page.slug,
      isHomepage: wantsHomepage = false,
      position: requestedPosition = page.position,
    } = change;
    const settings = givenSettings ?? present;
    const customFields = applyChange(page.custom_fields, fields);
    const hasOtherFields = JSON.stringify(customFields) !== JSON.stringify(page.custom_fields);
    const becomesHomepage = wantsHomepage && !page.is_homepage;
    const demoted = becomesHomepage ? await demoteHomepage(trx, storeId, now) : null;
    if (slug !== page.slug || name !== page.name || becomesHomepage) {
      await notePages(trx, storeId, [id, demoted]);
    }
    const isChanged = name !== page.name || slug !== page.slug || settings !== present;
    if (isChanged || becomesHomepage || hasOtherFields) {
      const isHomepage = page.is_homepage || becomesHomepage;
      await updatePage(trx, storeId, { id, name, slug, isHomepage, settings, customFields }, now);
      await setPageTexts(trx, storeId, id, name, settings);
    }
    if (settings !== present) await bumpMapRevision(trx, storeId);
    if (slug !== page.slug) {
      if (page.published_at) await addRedirect(trx, storeId, 'page', id, page.slug);
      await removeRedirect(trx, storeId, 'page', id, slug);
    }
    const position = Math.min(requestedPosition, pages - 1);
    if (position !== page.position) {
      await ensurePageRanks(trx, storeId);
      await movePage(trx, storeId, page.position, position);
      await touchPage(trx, storeId, id, now);
      // The default header lists pages in this order.
      await recordChanges(trx, storeId, [{ kind: 'page', ref: id }]);
    }
    return (await findPageEnvelope(trx, storeId, id, config))!;
  });
}

/**
 * Deletes a page, even a live one. When it is the homepage, the page with the lowest position becomes the homepage.
 * @throws not_found
 */
export async function deletePage({ trx, audit }: Write, storeId: string, id: string): Promise<void> {
  await lockPageList(trx, storeId);
  await ensurePageRanks(trx, storeId);
  const deleted = await deletePageRow(trx, storeId, id);
  if (!deleted) throw errors.not_found();
  await deleteLivePage(trx, storeId, id);
  await deleteDocumentRecords(trx, storeId, id);
  await deleteTexts(trx, storeId, 'node', id);
  await deleteRedirects(trx, storeId, id);
  await shiftPages(trx, storeId, deleted.position, -1);
  const promoted = deleted.is_homepage ? await promoteFirst(trx, storeId, new Date()) : null;
  await notePages(trx, storeId, [id, promoted]);
  await audit(storeId, 'page.deleted', { id, name: deleted.name });
}

/** Invalidates what shows the addresses or names of these pages: links to them, and their own breadcrumbs. */
function notePages(trx: Trx, storeId: string, ids: (string | null)[]): Promise<void> {
  const known = ids.filter((id) => id !== null);
  return invalidateDependents(
    trx,
    storeId,
    known.map((ref) => ({ kind: 'page', ref })),
  );
}

/** Returns settings in their stored form. Members keep their order, so equal settings give equal texts. */
function settingsText(settings: object): string {
  const text = JSON.stringify(settings);
  if (Buffer.byteLength(text) > maxSettingsBytes) {
    throw errors.invalid_body({ details: [{ pointer: '/settings', message: 'is larger than 64 KiB' }] });
  }
  return text;
}

/** Stores the translatable texts of a page outside its document. */
function setPageTexts(trx: Trx, storeId: string, id: string, name: string, settings: string): Promise<void> {
  return replaceTexts(trx, storeId, 'node', id, filledPageTexts(name, JSON.parse(settings)));
}

function deriveFreeSlug(trx: Trx, storeId: string, id: string, name: string): Promise<string> {
  const base = deriveSlug(name, id.slice(id.indexOf('_') + 1));
  return findFreeSlug(base, (candidates) => findExistingSlugs(trx, storeId, candidates));
}

/**
 * Reports a taken slug as an error. It must have been given, because derived slugs are free while the list is locked.
 */
async function refusingTakenSlug<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) === 'page_slug_key') throw errors.duplicate_slug();
    throw error;
  }
}
