import { type PageDocument, tolerateDocument } from '@waybill/page';
import { findArticleDraft } from '../../blog/articles/document-queries.ts';
import { findArticleEnvelope } from '../../blog/articles/queries.ts';
import type { Article } from '../../blog/articles/routes.ts';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { acceptUnsaved } from '../../publication/documents/documents.ts';
import { getLayout, getLayoutWithPart } from '../../publication/layouts/layouts.ts';
import { type TemplateKind, templateId } from '../../publication/owners/template-kinds.ts';
import { type DocumentHtml, documentHtml } from '../../publication/rendering/document-html.ts';
import { gatherSources } from '../../publication/rendering/gather.ts';
import { listTranslatables, localisation } from '../../publication/rendering/localise.ts';
import { Lookups } from '../../publication/rendering/lookups.ts';
import { findArticleFields, listShownArticles } from '../../publication/rendering/queries.ts';
import { renderPage, toPages } from '../../publication/rendering/render-page.ts';
import { blogSlug, categoriesSlug, productsSlug } from '../../publication/rendering/sources.ts';
import { findAddress, findSources, findVisitedStore } from '../../publication/served-documents/queries.ts';
import {
  articlePlan,
  blogPlan,
  buildArticleBreadcrumbs,
  buildHead,
  categoryPlan,
  findPlanSubject,
  findProduct,
  findShopCategory,
  gatherPlan,
  notFoundPlan,
  type Plan,
  productPlan,
  readArticleTexts,
  readCategoryFacts,
  renderPlan,
  searchPlan,
  type Visit,
} from '../../publication/system-pages/plans.ts';
import { findLiveArticle, type LiveArticle } from '../../publication/system-pages/queries.ts';
import { findShownTemplate } from '../../publication/templates/shown-template.ts';
import { storeFacts } from '../../shared/stores/stores.ts';
import { listValues } from '../../translations/values/queries.ts';
import {
  canvasProblems,
  canvasSources,
  type PreparedCanvas,
  type PreviewInput,
  parseNonDefaultLocale,
} from '../canvas/canvas.ts';
import { readTemplateDraft } from '../templates/templates.ts';

/** A template's document, and the item to show it with. */
export interface TemplateInput extends PreviewInput {
  productId?: string;
  articleId?: string;
  categoryId?: string;
}

/** The product, category or article that a template is shown with. */
export interface PreviewSubject {
  type: 'product' | 'category' | 'article';
  id: string;
  name: string;
}

interface Shown {
  plan: Plan;
  /** Relative to the store. */
  path: string;
  shownWith: PreviewSubject | null;
}

/**
 * Returns everything with which a browser renders a template as visitors would see it, and everything that is invalid
 * in the document or will not be shown. The document may be any value (`decisions.md 13.6, 17.2`).
 * @throws not_found, invalid_body for an invalid locale, resource_unavailable
 */
export async function prepareTemplateCanvas(
  context: Context,
  storeId: string,
  kind: TemplateKind,
  input: TemplateInput,
): Promise<PreparedCanvas & { shownWith: PreviewSubject | null }> {
  const document = tolerateDocument(input.document);
  const lookups = new Lookups(context, storeId);
  const visit = await readVisit(context, storeId, input.locale);
  const { plan, shownWith } = await showTemplate(context, visit, kind, { document }, input, lookups);
  const gathered = (await gatherPlan(context, visit, plan, 'saved', lookups))!;
  const { locale } = visit;
  const { toPages } = plan;
  const placeFacts = gathered.about.place ?? {};
  return {
    sources: await canvasSources(context, storeId, templateId(kind), gathered, {
      locale,
      toPages,
      place: placeFacts,
    }),
    problems: await canvasProblems(context, storeId, input.document, document, lookups),
    shownWith,
  };
}

/**
 * Renders a whole page as it would be with a template's document, or its draft, without storing anything. A header or
 * footer is shown around the live homepage.
 * @throws not_found, invalid_document, invalid_body for an invalid locale, resource_unavailable
 */
export async function previewTemplate(
  context: Context,
  storeId: string,
  kind: TemplateKind,
  input: TemplateInput,
): Promise<DocumentHtml> {
  const visit = await readVisit(context, storeId, input.locale);
  const document =
    input.document === undefined
      ? (JSON.parse((await readTemplateDraft(context, storeId, kind)).document) as PageDocument)
      : await acceptUnsaved(context.db, storeId, input.document);
  const isLayoutPart = kind === 'header' || kind === 'footer';
  const lookups = new Lookups(context, storeId);
  const { plan, path } = isLayoutPart
    ? await homepagePlan(context, visit)
    : await showTemplate(context, visit, kind, { document }, input, lookups);
  const layoutOptions = { storeId, locale: visit.locale, toPages: plan.toPages };
  const layout = isLayoutPart
    ? await getLayoutWithPart(context, layoutOptions, kind, document)
    : await getLayout(context, layoutOptions, visit.store);
  const at = { ...visit, path };
  const gathered = (await gatherPlan(context, at, plan, isLayoutPart ? 'live' : 'saved', lookups))!;
  return renderPlan(context, at, plan, gathered, layout);
}

/**
 * Renders the page that publishing an article would give, with another document as its body if one is given, without
 * storing anything.
 * @throws not_found, invalid_document, invalid_body for an invalid locale, resource_unavailable
 */
export async function previewArticle(
  context: Context,
  storeId: string,
  articleId: string,
  { document: sent, locale: tag }: PreviewInput,
): Promise<DocumentHtml> {
  const { db, config } = context;
  const [draft, json] = [
    await findArticleDraft(db, storeId, articleId),
    await findArticleEnvelope(db, storeId, articleId, config.publicBaseUrl),
  ];
  if (!draft || !json) throw errors.not_found();
  const article = {
    ...toLive((JSON.parse(json) as { article: Article }).article),
    fields: await findArticleFields(db, storeId, articleId),
  };
  const visit = { ...(await readVisit(context, storeId, tag)), path: `${blogSlug}/${article.slug}` };
  const { store, locale } = visit;
  const way = toPages(articleId);
  const layout = await getLayout(context, { storeId, locale, toPages: way }, store);
  const texts = await readArticleTexts(context, visit, article);
  if (sent === undefined && draft.document === null) {
    const template = await findShownTemplate(context, storeId, 'article', {
      language: locale ?? store.defaultLocale,
    });
    const plan = articlePlan(template, visit, article, texts);
    return renderPlan(context, visit, plan, (await gatherPlan(context, visit, plan, 'saved'))!, layout);
  }
  const document: PageDocument =
    sent === undefined ? JSON.parse(draft.document!) : await acceptUnsaved(db, storeId, sent);
  const lookups = new Lookups(context, storeId);
  const { sources, tree } = await gatherSources(context, storeId, document, lookups, { sections: 'saved' });
  const values = locale
    ? await listValues(db, storeId, locale, listTranslatables(articleId, tree, sources))
    : [];
  const local = locale ? localisation(articleId, locale, values) : undefined;
  const { name, excerpt } = texts;
  const subject = findPlanSubject(visit, article);
  const head = buildHead(visit, { name, settings: { description: excerpt }, subject });
  const trail = buildArticleBreadcrumbs(visit, name);
  return documentHtml(config, { ...head, trail }, renderPage(articleId, tree, sources, { local }), layout);
}

/** Returns the store as visited in a locale, whether it has addresses in that locale or not. */
async function readVisit(context: Context, storeId: string, tag: string | undefined): Promise<Visit> {
  const facts = await storeFacts(context, storeId);
  const store = facts && (await findVisitedStore(context.db, facts.slug));
  if (!store) throw errors.not_found();
  return { store, locale: parseNonDefaultLocale(tag, store), path: '' };
}

/** Plans the page that a template's document is shown as. */
async function showTemplate(
  context: Context,
  visit: Visit,
  kind: TemplateKind,
  template: Pick<Plan, 'document'>,
  { productId, articleId, categoryId }: TemplateInput,
  lookups: Lookups,
): Promise<Shown> {
  const plain = (plan: Plan, path: string): Shown => ({ plan, path, shownWith: null });
  switch (kind) {
    case 'product': {
      const product = await chosenProduct(context, visit.store.id, productId, lookups);
      if (!product) return plain(unboundPlan(template, visit, kind), productsSlug);
      const { id, name, slug } = product;
      return {
        plan: productPlan(template, visit, product),
        path: `${productsSlug}/${slug}`,
        shownWith: { type: 'product', id, name },
      };
    }
    case 'category': {
      const { id: storeId } = visit.store;
      const category =
        (categoryId && (await findShopCategory(context, storeId, categoryId))) ||
        (await findShopCategory(context, storeId));
      if (!category) return plain(unboundPlan(template, visit, kind), categoriesSlug);
      const { id, name, slug } = category;
      return {
        plan: categoryPlan(template, visit, await readCategoryFacts(context, visit, category)),
        path: `${categoriesSlug}/${slug}`,
        shownWith: { type: 'category', id, name },
      };
    }
    case 'article': {
      const article = await chosenArticle(context, visit.store.id, articleId);
      if (!article) return plain(unboundPlan(template, visit, kind), blogSlug);
      const { id, title, slug } = article;
      const texts = await readArticleTexts(context, visit, article);
      return {
        plan: articlePlan(template, visit, article, texts),
        path: `${blogSlug}/${slug}`,
        shownWith: { type: 'article', id, name: title },
      };
    }
    case 'blog':
      return plain(blogPlan(template, visit), `${blogSlug}/`);
    case 'search':
      return plain(searchPlan(template, visit, ''), 'search');
    case 'notFound':
      return plain(notFoundPlan(template, visit, './'), '');
    default:
      return plain(unboundPlan(template, visit, kind), '');
  }
}

/** Plans a template's page when there is no item for it, or when it is a part of every page. */
const unboundPlan = (template: Pick<Plan, 'document'>, { store }: Visit, kind: TemplateKind): Plan => ({
  ...template,
  ownerId: templateId(kind),
  toPages: kind === 'product' || kind === 'category' || kind === 'article' ? '../' : './',
  visited: {},
  describe: () => ({ name: store.name }),
});

/** Plans the live homepage; without one, the not-found page. */
async function homepagePlan(context: Context, visit: Visit): Promise<Shown> {
  const { store, locale } = visit;
  const address = await findAddress(context.db, store.slug, '');
  const content = address && (await findSources(context.db, store.id, address.pageId));
  if (!content) {
    const words = { language: locale ?? store.defaultLocale };
    const template = await findShownTemplate(context, store.id, 'notFound', words);
    return { plan: notFoundPlan(template, visit, './'), path: '', shownWith: null };
  }
  const { document, sources, name, settings } = content;
  const plan: Plan = {
    document,
    apps: sources.apps,
    ownerId: address.pageId,
    toPages: toPages(address.pageId),
    visited: {},
    describe: () => ({ name, settings, isHomepage: true, slug: '' }),
  };
  return { plan, path: '', shownWith: null };
}

/** Returns the active product of the id, or else the newest active one; undefined when there is none. */
async function chosenProduct(
  context: Context,
  storeId: string,
  productId: string | undefined,
  lookups: Lookups,
) {
  const chosen = productId && (await lookups.products([productId])).get(productId);
  const newest = async () => {
    const list = { source: { kind: 'all' }, sort: 'created', dir: 'desc', limit: 1, offset: 0 } as const;
    return (await lookups.shopList(list)).products[0];
  };
  const slug = (chosen || (await newest()))?.facts.slug;
  return slug === undefined ? null : findProduct(context, storeId, slug);
}

/** Returns the published article of the id, or else the last published one; undefined when there is none. */
async function chosenArticle({ db }: Context, storeId: string, articleId: string | undefined) {
  const chosen = articleId && (await findLiveArticle(db, storeId, articleId, { inOriginal: true }));
  if (chosen) return chosen;
  const newest = { type: 'articleList', categoryId: null, sort: 'published', dir: 'desc', limit: 1 } as const;
  const { articles } = await listShownArticles(db, storeId, { ...newest, paged: false }, 0);
  const [found] = articles;
  return found && findLiveArticle(db, storeId, found.id, { inOriginal: true });
}

/** Returns an article as if it were published now, unless it is published already. */
const toLive = ({ id, title, slug, excerpt, content, coverMediaId, publishedAt }: Article): LiveArticle => ({
  id,
  title,
  slug,
  excerpt,
  content,
  cover_media_id: coverMediaId,
  published_at: new Date(publishedAt ?? Date.now()),
  rendered: null,
  document: null,
  sources: null,
});
