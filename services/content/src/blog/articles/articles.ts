import { findFreeSlug, newId, storeLimits } from '@waybill/contracts';
import { applyChange, requireValues, type ValuesChange, type View } from '@waybill/custom-fields';
import { extractHtmlText, sanitise, sanitiseHtml, toWarnings } from '@waybill/html';
import { type Answer, type IdempotentWrite, rawJson, withWarnings } from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import { deriveSlug } from '@waybill/slugs';
import type { Transaction } from 'kysely';
import type { Context, Write } from '../../config.ts';
import { errors } from '../../errors.ts';
import {
  clearDocument,
  deleteDocumentRecords,
  recordDocument,
} from '../../publication/documents/documents.ts';
import type { SavedDocument } from '../../publication/documents/envelope.ts';
import { documentCopy, recordSave } from '../../publication/history/history.ts';
import { goLive, type Publishable } from '../../publication/live-pages/go-live.ts';
import { deleteLivePage } from '../../publication/live-pages/queries.ts';
import { invalidateDependents } from '../../publication/live-pages/stale.ts';
import { gatherSources } from '../../publication/rendering/gather.ts';
import { Lookups } from '../../publication/rendering/lookups.ts';
import { renderPage } from '../../publication/rendering/render-page.ts';
import { addRedirect, deleteRedirects, removeRedirect } from '../../shared/former-slugs/queries.ts';
import { lockPageList } from '../../shared/stores/queries.ts';
import type { Tables } from '../../tables.ts';
import { deleteTexts, replaceTexts } from '../../translations/values/translatable.ts';
import { knownCategories, lockBlog } from '../categories/queries.ts';
import {
  type ArticleBody,
  clearArticleDocument,
  compareArticleDocument,
  findArticleBody,
  findArticleDocument,
  findArticleDraft,
  markDocumentPublished,
  upsertArticleDocument,
} from './document-queries.ts';
import {
  type ArticleState,
  countArticles,
  deleteArticleRow,
  findArticle,
  findArticleEnvelope,
  insertArticle,
  takenSlugs,
  updateArticle,
} from './queries.ts';
import { type ArticleChange, type ArticleInput, maxContentLength } from './routes.ts';

type Trx = Transaction<Tables>;

/** How often to retry when an article is saved again while its HTML is being made. */
const maxAttempts = 5;

/** The part of an input that needs neither the database nor a lock, with the cover already checked with media. */
export type Written = Omit<ArticleState, 'id' | 'slug' | 'publishedAt' | 'customFields'> & {
  slug: string | undefined;
};

/** An input together with the checked changes of custom fields. */
type WithFields<Input> = Input & { fields: ValuesChange };

/**
 * Creates an article from a prepared input. Returns the `{ article }` envelope as JSON.
 * @throws too_many_articles
 */
export async function createArticle(
  write: Write,
  { config }: Pick<Context, 'config'>,
  storeId: string,
  { fields, ...written }: WithFields<Written>,
): Promise<string> {
  requireValues(fields);
  const { trx } = write;
  // The page list must be locked before the blog, as everywhere.
  if (written.status === 'published') await lockPageList(trx, storeId);
  await lockBlog(trx, storeId);
  if ((await countArticles(trx, storeId)) >= storeLimits.articles) throw errors.too_many_articles();
  const now = new Date();
  const id = newId('article', now.getTime());
  const base = written.slug ?? deriveSlug(written.title, id.slice(id.indexOf('_') + 1));
  const article: ArticleState = {
    ...written,
    id,
    slug: await findSlug(trx, storeId, id, base),
    categoryIds: await knownCategories(trx, storeId, written.categoryIds),
    customFields: applyChange({}, fields),
    publishedAt: written.status === 'published' ? now : null,
  };
  await insertArticle(trx, storeId, article, now);
  await removeRedirect(trx, storeId, 'article', id, article.slug);
  await replaceTexts(trx, storeId, 'article', id, articleTexts(article));
  await auditStatus(write, storeId, 'draft', article);
  if (article.status === 'published') await noteArticle(trx, storeId, id);
  return (await findArticleEnvelope(trx, storeId, id, config.publicBaseUrl))!;
}

/**
 * Replaces an article by a prepared input: every omitted field except the slug gets its default. Writes nothing when
 * nothing differs. Returns the `{ article }` envelope as JSON.
 * @throws not_found, unsupported_body_type
 */
export async function replaceArticle(
  write: Write,
  { config }: Pick<Context, 'config'>,
  storeId: string,
  id: string,
  { fields, ...written }: WithFields<Written>,
): Promise<string> {
  const { trx } = write;
  await lockPageList(trx, storeId);
  await lockBlog(trx, storeId);
  const current = await findArticle(trx, storeId, id);
  if (!current) throw errors.not_found();
  if (current.bodyType === 'page') throw errors.unsupported_body_type();
  const now = new Date();
  const next: ArticleState = {
    ...written,
    id,
    slug: await findSlug(trx, storeId, id, written.slug ?? current.slug),
    categoryIds: await knownCategories(trx, storeId, written.categoryIds),
    customFields: applyChange(current.customFields, fields),
    publishedAt: current.publishedAt ?? (written.status === 'published' ? now : null),
  };
  await writeArticle(write, storeId, current, next, now);
  return (await findArticleEnvelope(trx, storeId, id, config.publicBaseUrl))!;
}

/**
 * Changes the given fields of an article that differ, whatever its body is. Returns the `{ article }` envelope as JSON
 * (`decisions.md 13.8`).
 * @throws not_found
 */
export async function changeArticle(
  write: Write,
  { config }: Pick<Context, 'config'>,
  storeId: string,
  id: string,
  { fields, ...change }: WithFields<ArticleChange>,
): Promise<string> {
  const { trx } = write;
  await lockPageList(trx, storeId);
  await lockBlog(trx, storeId);
  const current = await findArticle(trx, storeId, id);
  if (!current) throw errors.not_found();
  const now = new Date();
  const { title, excerpt, status, coverMediaId, tags } = { ...current, ...change };
  const next: ArticleState = {
    ...current,
    title,
    excerpt,
    status,
    coverMediaId,
    tags,
    slug: await findSlug(trx, storeId, id, change.slug ?? current.slug),
    categoryIds: await knownCategories(trx, storeId, change.categoryIds ?? current.categoryIds),
    customFields: applyChange(current.customFields, fields),
    publishedAt: current.publishedAt ?? (status === 'published' ? now : null),
  };
  await writeArticle(write, storeId, current, next, now);
  return (await findArticleEnvelope(trx, storeId, id, config.publicBaseUrl))!;
}

/** Writes an article if it has changed. */
async function writeArticle(
  write: Write,
  storeId: string,
  current: ArticleState,
  next: ArticleState,
  now: Date,
): Promise<void> {
  if (sameState(current, next)) return;
  const { trx } = write;
  await updateArticle(trx, storeId, current, next, now);
  await replaceTexts(trx, storeId, 'article', next.id, articleTexts(next));
  await auditStatus(write, storeId, current.status, next);
  if ([current.status, next.status].includes('published')) await noteArticle(trx, storeId, next.id);
  if (next.slug === current.slug) return;
  if (current.publishedAt) await addRedirect(trx, storeId, 'article', next.id, current.slug);
  await removeRedirect(trx, storeId, 'article', next.id, next.slug);
}

/** Invalidates the pages that list the article or link to it. Requires the lock of the page list. */
function noteArticle(trx: Trx, storeId: string, id: string): Promise<void> {
  return invalidateDependents(trx, storeId, [
    { kind: 'article', ref: id },
    { kind: 'articles', ref: '' },
  ]);
}

async function auditStatus(
  { audit }: Write,
  storeId: string,
  before: ArticleState['status'],
  { id, title, status }: ArticleState,
): Promise<void> {
  if (status === before) return;
  const action = status === 'published' ? 'article.published' : 'article.unpublished';
  await audit(storeId, action, { id, name: title });
}

/**
 * Deletes an article, whatever its body is.
 * @throws not_found
 */
export async function deleteArticle({ trx, audit }: Write, storeId: string, id: string): Promise<void> {
  // Keeps others from queueing its live page for rendering meanwhile.
  await lockPageList(trx, storeId);
  await lockBlog(trx, storeId);
  const article = await findArticle(trx, storeId, id);
  if (!article) throw errors.not_found();
  await deleteArticleRow(trx, storeId, article);
  await deleteLivePage(trx, storeId, id);
  await deleteTexts(trx, storeId, 'article', id);
  await deleteDocumentRecords(trx, storeId, id);
  await deleteRedirects(trx, storeId, id);
  if (article.status === 'published') await noteArticle(trx, storeId, id);
  await audit(storeId, 'article.deleted', { id, name: article.title });
}

/**
 * Saves an accepted builder document as an article's body, for good. Visitors see the previous body until the document
 * is published. Writes nothing when nothing differs. Returns the stored document (`decisions.md 4.3, 13.8`).
 * @throws not_found, invalid_document for a section that the store does not have
 */
export async function saveArticleDocument(
  { trx }: Write,
  storeId: string,
  id: string,
  userId: string,
  document: PageDocument,
): Promise<SavedDocument> {
  const text = JSON.stringify(document);
  // The page list must be locked before the blog, because a publish already holds it when it reaches the article.
  await lockPageList(trx, storeId);
  await lockBlog(trx, storeId);
  const current = await findArticle(trx, storeId, id);
  if (!current) throw errors.not_found();
  const found = (await compareArticleDocument(trx, storeId, id, text))!;
  if (found.isSaved) return (await findArticleDocument(trx, storeId, id))!;
  const now = new Date();
  await recordDocument(trx, storeId, id, document);
  await upsertArticleDocument(trx, storeId, id, text, found, userId, now);
  await recordSave(trx, storeId, id, userId, documentCopy(text, document));
  const next: ArticleState = { ...current, bodyType: 'page' };
  await updateArticle(trx, storeId, current, next, now);
  await replaceTexts(trx, storeId, 'article', id, articleTexts(next));
  return (await findArticleDocument(trx, storeId, id))!;
}

/**
 * Publishes an article with its saved document. Answers with the `{ article }` envelope (`decisions.md 13.8`).
 * @throws not_found, nothing_to_publish, resource_unavailable when the sources of the article cannot be read
 */
export function publishArticle(
  context: Context,
  storeId: string,
  id: string,
  userId: string | null,
  idempotentWrite: IdempotentWrite,
  view: View,
): Promise<Answer> {
  const read = () => findWaiting(context, storeId, id);
  return goLive(context, storeId, userId, idempotentWrite, read, (json) => rawJson(view.envelope(json)));
}

async function findWaiting({ db, config }: Context, storeId: string, id: string): Promise<Publishable> {
  const draft = await findArticleDraft(db, storeId, id);
  if (!draft) throw errors.not_found();
  if (!draft.document || !draft.isWaiting) throw errors.nothing_to_publish();
  return {
    id,
    document: draft.document,
    async consume({ trx }) {
      await lockBlog(trx, storeId);
      const now = await findArticleDraft(trx, storeId, id);
      return now?.isWaiting === true && now.revision === draft.revision;
    },
    async finish({ trx, audit }) {
      const now = new Date();
      const article = (await findArticle(trx, storeId, id))!;
      const publishedAt = article.publishedAt ?? now;
      const next: ArticleState = { ...article, content: '', status: 'published', publishedAt };
      await updateArticle(trx, storeId, article, next, now);
      await markDocumentPublished(trx, storeId, id);
      await noteArticle(trx, storeId, id);
      await audit(storeId, 'article.published', { id, name: next.title });
      return (await findArticleEnvelope(trx, storeId, id, config.publicBaseUrl))!;
    },
  };
}

/** Thrown, before anything is written, when an article was saved or published again since its HTML was made. */
class StaleWrite extends Error {}

/**
 * Converts an article's body back to HTML: the version that visitors see, or the last saved one if none is published.
 * An HTML body stays as it is. Answers with the `{ article }` envelope (`decisions.md 13.8`).
 * @throws not_found, invalid_state for a body that is too long, resource_unavailable when its sources cannot be read
 */
export async function convertArticle(
  context: Context,
  storeId: string,
  id: string,
  idempotentWrite: IdempotentWrite,
): Promise<Answer> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const body = await findArticleBody(context.db, storeId, id);
    if (!body) throw errors.not_found();
    const { html: content, removals } = sanitise(await renderArticleHtml(context, storeId, id, body));
    if (content.length > maxContentLength) {
      throw errors.invalid_state({ message: `As HTML it has more than ${maxContentLength} characters.` });
    }
    try {
      return await idempotentWrite.commit(async (write) => {
        const envelope = await putContent(write, context.config, storeId, id, body, content);
        return rawJson(withWarnings(envelope, toWarnings(removals)));
      });
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error;
    }
  }
  throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
}

async function renderArticleHtml(
  context: Context,
  storeId: string,
  id: string,
  { content, document, live }: ArticleBody,
): Promise<string> {
  if (live) return live;
  if (!document) return content;
  const lookups = new Lookups(context, storeId);
  const { sources, tree } = await gatherSources(context, storeId, document, lookups, { sections: 'saved' });
  return renderPage(id, tree, sources).html;
}

/** Writes the content of an article. Throws `StaleWrite`. */
async function putContent(
  write: Write,
  { publicBaseUrl }: Context['config'],
  storeId: string,
  id: string,
  { stamp }: ArticleBody,
  content: string,
): Promise<string> {
  const { trx } = write;
  await lockPageList(trx, storeId);
  await lockBlog(trx, storeId);
  const article = await findArticle(trx, storeId, id);
  if (!article) throw errors.not_found();
  if (article.bodyType === 'page') {
    if ((await findArticleBody(trx, storeId, id))?.stamp !== stamp) throw new StaleWrite();
    await deleteLivePage(trx, storeId, id);
    await clearArticleDocument(trx, storeId, id);
    await clearDocument(trx, storeId, id);
    await writeArticle(write, storeId, article, { ...article, bodyType: 'html', content }, new Date());
  }
  return (await findArticleEnvelope(trx, storeId, id, publicBaseUrl))!;
}

/**
 * Prepares an input for creating or replacing an article. Asks media about its cover, which no transaction may wait
 * for.
 * @throws unsupported_body_type for a builder document, resource_unavailable when media is unavailable
 */
export async function prepareInput(context: Context, storeId: string, input: ArticleInput): Promise<Written> {
  if (input.bodyType === 'page') throw errors.unsupported_body_type();
  return {
    title: input.title,
    slug: input.slug,
    excerpt: input.excerpt ?? '',
    content: sanitiseHtml(input.content ?? ''),
    bodyType: 'html',
    status: input.status ?? 'draft',
    categoryIds: input.categoryIds ?? [],
    coverMediaId: await knownAsset(context, storeId, input.coverMediaId ?? null),
    tags: input.tags ?? [],
  };
}

/**
 * Prepares the change of an article. Asks media about a new cover, before any transaction.
 * @throws resource_unavailable
 */
export async function prepareChange(
  context: Context,
  storeId: string,
  change: ArticleChange,
): Promise<ArticleChange> {
  const { coverMediaId } = change;
  if (coverMediaId === undefined) return change;
  return { ...change, coverMediaId: await knownAsset(context, storeId, coverMediaId) };
}

/** Returns the id if media has such an asset in the store, else null: unknown ids are dropped (`decisions.md 4.5`). */
async function knownAsset(context: Context, storeId: string, id: string | null): Promise<string | null> {
  if (id === null) return null;
  const known = await new Lookups(context, storeId).media([id]);
  return known.has(id) ? id : null;
}

/** Finds a slug like `base` that no other article has. The locked blog keeps others from taking it. */
function findSlug(trx: Trx, storeId: string, articleId: string, base: string): Promise<string> {
  return findFreeSlug(base, async (candidates) => {
    const existingSlugs = await takenSlugs(trx, storeId, candidates);
    return new Set(
      candidates.filter((candidate) => (existingSlugs.get(candidate) ?? articleId) !== articleId),
    );
  });
}

function articleTexts({ title, excerpt, content, bodyType }: ArticleState) {
  return { title, excerpt, content: bodyType === 'html' ? extractHtmlText(content) : '' };
}

function sameState(a: ArticleState, b: ArticleState): boolean {
  const comparable = (article: ArticleState) =>
    JSON.stringify([
      article.title,
      article.slug,
      article.excerpt,
      article.content,
      article.bodyType,
      article.status,
      article.categoryIds,
      article.coverMediaId,
      article.tags,
      article.customFields,
    ]);
  return comparable(a) === comparable(b);
}
