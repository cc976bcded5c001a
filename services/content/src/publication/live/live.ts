import { createHash } from 'node:crypto';
import { treeOf } from '@waybill/page';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../config.ts';
import { type EntityRef, listValues } from '../../translations/values/queries.ts';
import type { Layouts } from '../layouts/layouts.ts';
import { type DocumentHtml, documentHtml } from '../rendering/document-html.ts';
import { localHead, localisation, translatablesOf } from '../rendering/localise.ts';
import { renderPage, toPages } from '../rendering/make.ts';
import { type Tagged, tagged, weightOf } from './conditional.ts';
import { type Address, findRendered, findSources } from './queries.ts';

/** A page's document as it is sent. */
export interface LiveDocument extends Tagged, Omit<DocumentHtml, 'html'> {
  /** Whether it has lists with further pages. */
  isPaged: boolean;
}

interface Kept {
  /** The stamp of the page that it was made from; a document with another stamp is made anew. */
  stamp: string;
  /** The `hash` of the frame around it. */
  frame: string;
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

const keptBytes = 32 * 1024 * 1024;

export interface LivePages {
  /** Returns the page's document in its original language or in another locale; undefined when it is gone. */
  read(address: Address, locale?: string): Promise<LiveDocument | undefined>;
}

/**
 * Creates live documents and keeps some in memory. Every request checks the kept document in the one read that finds
 * the address, so it is correct in every process; only composing and transferring are saved.
 */
export function createLivePages({ db, config, state }: Context, frames: Layouts): LivePages {
  const kept = new LRUCache<string, Kept>({
    maxSize: keptBytes,
    sizeCalculation: ({ document, translation }) =>
      weightOf(document) + 100 * (translation?.translatables.length ?? 0) + 500,
  });
  const keyOf = ({ storeId, pageId }: Address, locale = '') => `${storeId}/${pageId}/${locale}`;
  const stampOf = ({ stamp, locales }: Pick<Address, 'stamp' | 'locales'>) => `${stamp}\n${locales.join()}`;
  const frameOf = (address: Address, locale?: string) =>
    frames.of({ storeId: address.storeId, locale, toPages: toPages(address.pageId) }, address);

  /** Returns the kept document of a key, if the page and its frame are unchanged. */
  async function known(key: string, address: Address, locale?: string): Promise<Kept | undefined> {
    const last = kept.get(key);
    if (last?.stamp !== stampOf(address)) return undefined;
    return last.frame === (await frameOf(address, locale)).hash ? last : undefined;
  }

  /** Returns the document made earlier, if nothing that it shows has changed. */
  async function findKept(address: Address, locale?: string): Promise<LiveDocument | undefined> {
    const key = keyOf(address, locale);
    const last = await known(key, address, locale);
    if (!last?.translation) return last?.document;
    const { document, translation } = last;
    const revision = address.translationRevision;
    if (revision === translation.revision) return document;
    const values = await listValues(db, address.storeId, locale!, translation.translatables);
    if (hash(values) !== translation.values) return undefined;
    kept.set(key, { ...last, translation: { ...translation, revision } });
    return document;
  }

  async function makeOriginal(address: Address): Promise<LiveDocument | undefined> {
    const found = await findRendered(db, address.storeId, address.pageId);
    if (!found) return undefined;
    const frame = await frameOf(address);
    const document = toLiveDocument(documentHtml(config, found, found.rendered, frame));
    kept.set(keyOf(address), { stamp: stampOf(found), frame: frame.hash, document });
    return document;
  }

  async function makeTranslated(address: Address, locale: string): Promise<LiveDocument | undefined> {
    const { storeId, pageId } = address;
    const found = await findSources(db, storeId, pageId);
    if (!found) return undefined;
    const tree = treeOf(found.document, found.sources);
    const translatables = translatablesOf(pageId, tree, found.sources);
    const values = await listValues(db, storeId, locale, translatables);
    const made = renderPage(pageId, tree, found.sources, { local: localisation(pageId, locale, values) });
    const head = { ...found, ...localHead(pageId, found, values), locale };
    const frame = await frameOf(address, locale);
    const document = toLiveDocument(documentHtml(config, head, made, frame));
    const { translationRevision: revision } = found;
    kept.set(keyOf(address, locale), {
      stamp: stampOf(found),
      frame: frame.hash,
      document,
      translation: { revision, translatables, values: hash(values) },
    });
    return document;
  }

  const make = (address: Address, locale?: string) =>
    locale ? makeTranslated(address, locale) : makeOriginal(address);

  return {
    async read(address, locale) {
      const document = await findKept(address, locale);
      if (document) return document;
      // Look again in its turn, because others may have waited for the same document.
      return state.renderSlots.run(
        address.storeId,
        async () => (await findKept(address, locale)) ?? make(address, locale),
      );
    },
  };
}

/** Builds a document as it is sent. Its tag covers its policy too, which a browser keeps with the bytes. */
export function toLiveDocument({ html, ...about }: DocumentHtml): LiveDocument {
  const isPaged = html.includes('<nav class="wb-pager"');
  return { ...tagged(Buffer.from(html), JSON.stringify(about.allowed)), ...about, isPaged };
}

const hash = (values: readonly object[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 32);
