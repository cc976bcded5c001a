import { PagePublished, PageUnpublished } from '@waybill/contracts';
import type { View } from '@waybill/custom-fields';
import { type Answer, type IdempotentWrite, rawJson } from '@waybill/kernel';
import { type PageDocument, tolerateDocument } from '@waybill/page';
import { findArticleDraft } from '../../blog/articles/document-queries.ts';
import type { Context, Write } from '../../config.ts';
import { errors } from '../../errors.ts';
import { acceptUnsaved } from '../../publication/documents/documents.ts';
import { getLayout } from '../../publication/layouts/layouts.ts';
import { goLive, type Publishable } from '../../publication/live-pages/go-live.ts';
import { bumpMapRevision } from '../../publication/live-pages/map-revision.ts';
import { deleteLivePage, markPublished, markUnpublished } from '../../publication/live-pages/queries.ts';
import { invalidateDependents } from '../../publication/live-pages/stale.ts';
import { type DocumentHtml, documentHtml } from '../../publication/rendering/document-html.ts';
import { type GatherOptions, gatherSources } from '../../publication/rendering/gather.ts';
import { listTranslatables, localisation, localiseHead } from '../../publication/rendering/localise.ts';
import { Lookups } from '../../publication/rendering/lookups.ts';
import { renderPage, toPages } from '../../publication/rendering/render-page.ts';
import { addRedirect } from '../../shared/former-slugs/queries.ts';
import { lockPageList } from '../../shared/stores/queries.ts';
import { findLanguages } from '../../translations/languages/queries.ts';
import { listValues } from '../../translations/values/queries.ts';
import {
  canvasProblems,
  canvasSources,
  type PreparedCanvas,
  type PreviewInput,
  parseNonDefaultLocale,
} from '../canvas/canvas.ts';
import { deleteDraft, findDraft, findEdited, findLiveDocument, upsertDraft } from '../drafts/queries.ts';
import { findPage, findPageEnvelope, type PageRow } from '../pages/queries.ts';
import { findSection } from '../sections/queries.ts';

/**
 * Makes a page's saved draft its live page, consumes the draft, and emits `page.published`. Answers with the `{ page }`
 * envelope (`store-api.md 3`, `decisions.md 4.2, 4.4`).
 * @throws not_found, nothing_to_publish, resource_unavailable when the sources of the page cannot be read
 */
export function publishPage(
  context: Context,
  storeId: string,
  pageId: string,
  userId: string | null,
  idempotentWrite: IdempotentWrite,
  view: View,
): Promise<Answer> {
  const read = () => findWaiting(context, storeId, pageId);
  return goLive(context, storeId, userId, idempotentWrite, read, (json) => rawJson(view.envelope(json)));
}

async function findWaiting({ db, config }: Context, storeId: string, pageId: string): Promise<Publishable> {
  const page = await findPage(db, storeId, pageId);
  if (!page) throw errors.not_found();
  const draft = await findDraft(db, storeId, pageId);
  if (!draft) throw errors.nothing_to_publish();
  return {
    id: pageId,
    document: draft.document,
    goesLive: toAddress(page),
    self: toSelf(page),
    consume: ({ trx }) => deleteDraft(trx, storeId, pageId, draft.revision),
    async finish({ trx, emit, audit }) {
      const isNew = await markPublished(trx, storeId, pageId, new Date());
      // Links to a page lead nowhere until it is live.
      if (isNew) await invalidateDependents(trx, storeId, [{ kind: 'page', ref: pageId }]);
      else await bumpMapRevision(trx, storeId);
      const json = (await findPageEnvelope(trx, storeId, pageId, config))!;
      await audit(storeId, 'page.published', page);
      await emit(PagePublished, storeId, { json });
      return json;
    },
  };
}

/**
 * Unpublishes a live page, keeps its live document as its draft unless it has one, and emits `page.unpublished`.
 * Returns the `{ page }` envelope as JSON (`decisions.md 13.3`).
 * @throws not_found, invalid_state for a page that is not live
 */
export async function unpublishPage(
  { trx, emit, audit }: Write,
  { config }: Pick<Context, 'config'>,
  storeId: string,
  pageId: string,
): Promise<string> {
  await lockPageList(trx, storeId);
  const page = await findPage(trx, storeId, pageId);
  if (!page) throw errors.not_found();
  const document = await findLiveDocument(trx, storeId, pageId);
  if (document === null) throw errors.invalid_state({ message: 'This page is not live.' });
  if (!(await findDraft(trx, storeId, pageId)))
    await upsertDraft(trx, storeId, pageId, document, { isLive: false });
  await deleteLivePage(trx, storeId, pageId);
  await markUnpublished(trx, storeId, pageId, new Date());
  // The page may have another slug when it is live again.
  await addRedirect(trx, storeId, 'page', pageId, page.slug);
  // Links to the page lead nowhere now.
  await invalidateDependents(trx, storeId, [{ kind: 'page', ref: pageId }]);
  const json = (await findPageEnvelope(trx, storeId, pageId, config))!;
  await audit(storeId, 'page.unpublished', page);
  await emit(PageUnpublished, storeId, { json });
  return json;
}

/** Returns a page as the end of its breadcrumbs; the homepage has none. */
const toSelf = ({ id, name, is_homepage }: PageRow) => (is_homepage ? undefined : { id, name });
const toAddress = ({ id, slug, is_homepage }: PageRow) => ({ id, slug: is_homepage ? '' : slug });

/**
 * Renders exactly the HTML that publishing a document, or the page's draft, would give now, without storing anything.
 * Without a draft, renders the live page again.
 * @throws not_found, nothing_to_publish for a page with neither, invalid_document, invalid_body for an invalid locale,
 * resource_unavailable
 */
export async function previewPage(
  context: Context,
  storeId: string,
  pageId: string,
  { document: sent, locale: tag }: PreviewInput,
): Promise<DocumentHtml> {
  const { db } = context;
  const page = await findPage(db, storeId, pageId);
  if (!page) throw errors.not_found();
  const document =
    sent === undefined ? await readEdited(context, storeId, pageId) : await acceptUnsaved(db, storeId, sent);
  const lookups = new Lookups(context, storeId);
  const { store, sources, tree } = await gatherSources(context, storeId, document, lookups, {
    sections: 'saved',
    goesLive: toAddress(page),
    self: toSelf(page),
  });
  const { name, is_homepage } = page;
  const languages = await findLanguages(db, storeId);
  const head = {
    storeId,
    storeName: store.name,
    storeSlug: store.slug,
    isDevelopment: store.isDevelopment,
    name,
    slug: toAddress(page).slug,
    is_homepage,
    settings: page.settings as Record<string, unknown>,
    ...languages,
  };
  const locale = parseNonDefaultLocale(tag, languages);
  const layoutOptions = { storeId, locale, toPages: toPages(pageId), goesLive: toAddress(page) };
  const layout = await getLayout(context, layoutOptions, languages);
  if (!locale) return documentHtml(context.config, head, renderPage(pageId, tree, sources), layout);
  const values = await listValues(db, storeId, locale, listTranslatables(pageId, tree, sources));
  const rendered = renderPage(pageId, tree, sources, { local: localisation(pageId, locale, values) });
  return documentHtml(
    context.config,
    { ...head, ...localiseHead(pageId, head, values), locale },
    rendered,
    layout,
  );
}

async function readEdited(context: Context, storeId: string, pageId: string): Promise<PageDocument> {
  const text = (await findEdited(context.db, storeId, pageId))?.document;
  if (!text) throw errors.nothing_to_publish();
  return JSON.parse(text);
}

/**
 * Returns everything with which a browser renders a document as publishing would, and everything that is invalid in the
 * document or will not be shown. The document may be any value (`decisions.md 13.6`).
 * @throws not_found, invalid_body for an invalid locale, resource_unavailable
 */
export async function prepareCanvas(
  context: Context,
  storeId: string,
  pageId: string,
  input: PreviewInput,
): Promise<PreparedCanvas> {
  const page = await findPage(context.db, storeId, pageId);
  if (!page) throw errors.not_found();
  return prepare(context, storeId, pageId, input, { goesLive: toAddress(page), self: toSelf(page) });
}

/**
 * Does the same for a section by itself (`decisions.md 13.6`).
 * @throws not_found, invalid_body for an invalid locale, resource_unavailable
 */
export async function prepareSectionCanvas(
  context: Context,
  storeId: string,
  sectionId: string,
  input: PreviewInput,
): Promise<PreparedCanvas> {
  if (!(await findSection(context.db, storeId, sectionId))) throw errors.not_found();
  return prepare(context, storeId, sectionId, input);
}

/**
 * Does the same for the builder document of an article, published or not (`decisions.md 13.6`).
 * @throws not_found, invalid_body for an invalid locale, resource_unavailable
 */
export async function prepareArticleCanvas(
  context: Context,
  storeId: string,
  articleId: string,
  input: PreviewInput,
): Promise<PreparedCanvas> {
  if (!(await findArticleDraft(context.db, storeId, articleId))) throw errors.not_found();
  return prepare(context, storeId, articleId, input);
}

async function prepare(
  context: Context,
  storeId: string,
  ownerId: string,
  { document: sent, locale: tag }: PreviewInput,
  at: Pick<GatherOptions, 'goesLive' | 'self'> = {},
): Promise<PreparedCanvas> {
  const document = tolerateDocument(sent);
  const lookups = new Lookups(context, storeId);
  const gathered = await gatherSources(context, storeId, document, lookups, { sections: 'saved', ...at });
  const problems = await canvasProblems(context, storeId, sent, document, lookups);
  const locale = parseNonDefaultLocale(tag, await findLanguages(context.db, storeId));
  const sources = await canvasSources(context, storeId, ownerId, gathered, {
    locale,
    toPages: toPages(ownerId),
  });
  return { sources, problems };
}
