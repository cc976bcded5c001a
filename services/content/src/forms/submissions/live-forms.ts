import { canonicalLocale, idPattern, type StoreFacts } from '@waybill/contracts';
import {
  type FormField,
  findForm,
  formFields,
  getWords,
  materialiseDocument,
  resolve,
  type SentForm,
  type TreeNode,
  toFacts,
  type Words,
} from '@waybill/page';
import type { Context } from '../../config.ts';
import { getLayout } from '../../publication/layouts/layouts.ts';
import { documentOwner } from '../../publication/owners/owner.ts';
import { templateId, templateKinds } from '../../publication/owners/template-kinds.ts';
import { documentHtml } from '../../publication/rendering/document-html.ts';
import { listTranslatables, localisation } from '../../publication/rendering/localise.ts';
import { renderPage } from '../../publication/rendering/render-page.ts';
import {
  blogSlug,
  type Localisation,
  pathInStore,
  toDocumentSources,
} from '../../publication/rendering/sources.ts';
import { findVisitedStore, type VisitedStore } from '../../publication/served-documents/queries.ts';
import { type LiveDocument, toLiveDocument } from '../../publication/served-documents/served-documents.ts';
import { storeFacts } from '../../shared/stores/stores.ts';
import { listValues } from '../../translations/values/queries.ts';
import { type FormOwner, findFormOwner } from './queries.ts';

/** A form as visitors see it. */
export interface LiveForm {
  id: string;
  /** Its name among the forms of its document. */
  name: string;
  /** Null when it is not on a page. */
  pageId: string | null;
  ownerId: string;
  owner: FormOwner;
  tree: TreeNode;
  fields: FormField[];
  /** Its target, relative to the store's address; null for none. */
  href: string | null;
  words: Words;
  store: StoreFacts;
  visitedStore: VisitedStore;
  local: Localisation | undefined;
}

const owners = `(?:${idPattern('page').slice(1, -1)}|${idPattern('article').slice(1, -1)}|${templateKinds.map(templateId).join('|')})`;
const formIds = new RegExp(`^(${owners})\\.([0-9a-z]{1,20})$`);

/** Whether the document is a template around pages. */
const isLayoutPart = (ownerId: string) => [templateId('header'), templateId('footer')].includes(ownerId);

/**
 * Finds a form by its id on a live page, in a published article or in a published template; undefined when there is
 * none. `site` is the visitor's address of the store's pages.
 * @throws resource_unavailable when identity must be asked about the store and does not answer
 */
export async function findLiveForm(
  context: Context,
  storeId: string,
  formId: string,
  tag: string | undefined,
  site: (store: StoreFacts) => string,
): Promise<LiveForm | undefined> {
  const { db } = context;
  const [, ownerId, name] = formIds.exec(formId) ?? [];
  if (!ownerId || !name) return undefined;
  const [owner, store] = await Promise.all([
    findFormOwner(db, storeId, ownerId),
    storeFacts(context, storeId),
  ]);
  const visitedStore = store && (await findVisitedStore(db, store.slug));
  if (!owner || !visitedStore || visitedStore.id !== storeId) return undefined;
  const { document, sources } = owner;
  const documentTree = materialiseDocument(
    document,
    sources,
    isLayoutPart(ownerId) ? `~${ownerId.slice(4)}` : undefined,
  );
  const tree = documentTree && findForm(documentTree, name);
  if (!tree) return undefined;
  const requestedLocale = canonicalLocale(tag ?? '');
  const locale =
    requestedLocale !== null && visitedStore.locales.includes(requestedLocale) ? requestedLocale : undefined;
  const values = locale
    ? await listValues(db, storeId, locale, listTranslatables(ownerId, tree, sources))
    : [];
  const local = locale ? localisation(ownerId, locale, values) : undefined;
  const documentSources = toDocumentSources(sources, ownerId, site(store) + pathInStore('', locale));
  const resolved = resolve(tree, toFacts(documentSources));
  return {
    id: formId,
    name,
    ownerId,
    owner,
    tree,
    store,
    visitedStore,
    local,
    pageId: documentOwner(ownerId).kind === 'page' ? ownerId : null,
    fields: formFields(resolved),
    href: resolved.specials.href?.url ?? null,
    words: getWords(locale ?? visitedStore.defaultLocale),
  };
}

/** Returns the path of a form's page or article within the store; the homepage for other forms. */
export function ownerPath({ ownerId, owner: { slug }, local }: LiveForm): string {
  return pathInStore(documentOwner(ownerId).kind === 'article' ? `${blogSlug}/${slug}` : slug, local?.locale);
}

/** Renders the form alone, in the store's layout, with the sent values and their problems. */
export async function renderFormAgain(
  context: Context,
  form: LiveForm,
  sent: SentForm,
  site: string,
): Promise<LiveDocument> {
  const { ownerId, owner, tree, store, visitedStore, local, words } = form;
  const locale = local?.locale;
  const toPages = site + pathInStore('', locale);
  const page = buildFormPage(tree, words.checkForm);
  const rendered = renderPage(ownerId, page, owner.sources, { local, toPages, sent });
  const layout = await getLayout(context, { storeId: store.id, locale, toPages }, visitedStore);
  const { name: storeName, slug: storeSlug, isDevelopment } = store;
  const { defaultLocale, locales } = visitedStore;
  // Without the layout, because a form of the header or footer would otherwise appear twice, with the same ids.
  const settings = { noindex: true, ...(isLayoutPart(ownerId) && { layout: 'none' }) };
  return toLiveDocument(
    documentHtml(
      context.config,
      {
        storeId: store.id,
        storeName,
        storeSlug,
        isDevelopment,
        defaultLocale,
        locales,
        settings,
        name: words.checkForm,
        slug: '',
        is_homepage: false,
        ...(locale && { locale }),
      },
      rendered,
      layout,
    ),
  );
}

/** Builds a page that holds only a form, under a heading. */
function buildFormPage(form: TreeNode, text: string): TreeNode {
  const emptyNode = { entityId: '~', style: {}, config: {}, bindings: [] };
  return {
    ...emptyNode,
    path: '~',
    type: 'section',
    specials: {},
    children: [
      { ...emptyNode, path: '~/heading', type: 'heading', specials: { text, level: 1 }, children: [] },
      form,
    ],
  };
}
