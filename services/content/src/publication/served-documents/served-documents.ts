import { createHash } from 'node:crypto';
import { materialiseDocument } from '@waybill/page';
import type { Context } from '../../config.ts';
import { RevalidatingCache } from '../../shared/revalidating-cache.ts';
import { type EntityRef, listValues } from '../../translations/values/queries.ts';
import { getLayout } from '../layouts/layouts.ts';
import { type DocumentHtml, documentHtml } from '../rendering/document-html.ts';
import type { Layout } from '../rendering/layout.ts';
import { listTranslatables, localisation, localiseHead } from '../rendering/localise.ts';
import { renderPage, toPages } from '../rendering/render-page.ts';
import { estimateBytes, type TaggedBody, tagBytes } from './conditional.ts';
import { type Address, findRendered, findSources } from './queries.ts';

/** A page's document as it is sent. */
export interface LiveDocument extends TaggedBody, Omit<DocumentHtml, 'html'> {
  /** Whether it has lists with further pages. */
  isPaged: boolean;
}

interface CachedDocument {
  /** The stamp of the page that it was made from. */
  stamp: string;
  /** The `hash` of the layout around it. */
  layout: string;
  document: LiveDocument;
  /** Set for another locale. */
  translation?: {
    /** While this revision is unchanged, so are the store's translations. */
    revision: number;
    /** The translatable texts, and a hash of their translations. */
    translatables: readonly EntityRef[];
    values: string;
  };
}

const maxBytes = 32 * 1024 * 1024;

/**
 * Creates live documents and keeps some in memory. Every request checks the kept document in the one read that finds
 * the address, so it is correct in every process; only composing and transferring are saved.
 */
export class LivePages {
  readonly #context: Context;
  readonly #cache = new RevalidatingCache<CachedDocument>({
    maxBytes,
    measureBytes: ({ document, translation }) =>
      estimateBytes(document) + 100 * (translation?.translatables.length ?? 0) + 500,
  });

  constructor(context: Context) {
    this.#context = context;
  }

  /** Returns the page's document in its original language or in another locale; undefined if it is gone. */
  async read(address: Address, locale?: string): Promise<LiveDocument | undefined> {
    const { storeId, pageId, translationRevision } = address;
    const layout = await getLayout(this.#context, { storeId, locale, toPages: toPages(pageId) }, address);
    const stamp = createStamp(address);
    const cached = await this.#cache.get(`${storeId}/${pageId}/${locale ?? ''}`, {
      revisions: `${stamp}\n${layout.hash}\n${locale ? translationRevision : ''}`,
      isCurrent: ({ stamp: cachedStamp, layout: cachedLayout, translation }) =>
        cachedStamp === stamp &&
        cachedLayout === layout.hash &&
        (!translation || this.#hasSameTranslations(address, locale!, translation)),
      load: () =>
        this.#context.state.renderSlots.run<CachedDocument | undefined>(storeId, () =>
          locale ? this.#renderTranslated(address, layout, locale) : this.#renderOriginal(address, layout),
        ),
    });
    return cached?.document;
  }

  /** Whether the translations that a document shows are unchanged. The store's revision usually tells without a query. */
  async #hasSameTranslations(
    { storeId, translationRevision: revision }: Address,
    locale: string,
    translation: NonNullable<CachedDocument['translation']>,
  ): Promise<boolean> {
    if (revision === translation.revision) return true;
    const values = await listValues(this.#context.db, storeId, locale, translation.translatables);
    if (hash(values) !== translation.values) return false;
    translation.revision = revision;
    return true;
  }

  async #renderOriginal({ storeId, pageId }: Address, layout: Layout) {
    const found = await findRendered(this.#context.db, storeId, pageId);
    if (!found) return undefined;
    const document = toLiveDocument(documentHtml(this.#context.config, found, found.rendered, layout));
    return { stamp: createStamp(found), layout: layout.hash, document };
  }

  async #renderTranslated({ storeId, pageId }: Address, layout: Layout, locale: string) {
    const found = await findSources(this.#context.db, storeId, pageId);
    if (!found) return undefined;
    const tree = materialiseDocument(found.document, found.sources);
    const translatables = listTranslatables(pageId, tree, found.sources);
    const values = await listValues(this.#context.db, storeId, locale, translatables);
    const rendered = renderPage(pageId, tree, found.sources, { local: localisation(pageId, locale, values) });
    const head = { ...found, ...localiseHead(pageId, found, values), locale };
    const document = toLiveDocument(documentHtml(this.#context.config, head, rendered, layout));
    const { translationRevision: revision } = found;
    const translation = { revision, translatables, values: hash(values) };
    return { stamp: createStamp(found), layout: layout.hash, document, translation };
  }
}

const createStamp = ({ stamp, locales }: Pick<Address, 'stamp' | 'locales'>): string =>
  `${stamp}\n${locales.join()}`;

/** Builds a document as it is sent. Its tag covers its policy too, which a browser keeps with the bytes. */
export function toLiveDocument({ html, ...documentFacts }: DocumentHtml): LiveDocument {
  const isPaged = html.includes('<nav class="wb-pager"');
  return { ...tagBytes(Buffer.from(html), JSON.stringify(documentFacts.allowed)), ...documentFacts, isPaged };
}

const hash = (values: readonly object[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 32);
