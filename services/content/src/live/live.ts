import { createHash } from 'node:crypto';
import { treeOf } from '@waybill/page';
import { LRUCache } from 'lru-cache';
import type { Context } from '../config.ts';
import { type DocumentHtml, documentHtml } from '../rendering/document-html.ts';
import { localHead, localisation, translatablesOf } from '../rendering/localise.ts';
import { makePage } from '../rendering/make.ts';
import { type EntityRef, listValues } from '../translations/queries.ts';
import { type Tagged, tagged } from './conditional.ts';
import { type Address, findRendered, findSources } from './queries.ts';

/** A page's document as it is sent. */
export interface LiveDocument extends Tagged, Omit<DocumentHtml, 'html'> {}

interface Kept {
  /** Of the page that it was made of; a document with another stamp is made anew. */
  stamp: string;
  document: LiveDocument;
  /** In another locale. */
  translation?: {
    /** The store's translations are still the same if it is; null: that has to be looked at. */
    revision: number | null;
    /** What may be translated, and a hash of its translations. */
    translatables: readonly EntityRef[];
    values: string;
  };
}

const keptBytes = 32 * 1024 * 1024;

export interface LivePages {
  /** The page's document, in the language that it was written in or in another locale; undefined when it is gone. */
  read(address: Address, locale?: string): Promise<LiveDocument | undefined>;
}

/**
 * Live documents, some of them kept in memory. What is kept is asked about with every request, in the one read that
 * finds the address, so it is right in every process; what is saved is the composing and the sending over.
 */
export function createLivePages({ db, config }: Context): LivePages {
  const kept = new LRUCache<string, Kept>({
    maxSize: keptBytes,
    sizeCalculation: ({ document, translation }) =>
      document.body.length + 100 * (translation?.translatables.length ?? 0) + 500,
  });
  const stampOf = ({ stamp, locales }: Pick<Address, 'stamp' | 'locales'>) => `${stamp}\n${locales.join()}`;

  async function readOriginal(address: Address): Promise<LiveDocument | undefined> {
    const key = `${address.storeId}/${address.pageId}`;
    const known = kept.get(key);
    if (known?.stamp === stampOf(address)) return known.document;
    const found = await findRendered(db, address.storeId, address.pageId);
    if (!found) return undefined;
    const document = toLiveDocument(documentHtml(config, found, found.rendered));
    kept.set(key, { stamp: stampOf(found), document });
    return document;
  }

  async function readTranslated(address: Address, locale: string): Promise<LiveDocument | undefined> {
    const { storeId, pageId } = address;
    const key = `${storeId}/${pageId}/${locale}`;
    const valuesOf = (refs: readonly EntityRef[]) => listValues(db, storeId, locale, refs);
    const last = kept.get(key);
    if (last?.translation && last.stamp === stampOf(address)) {
      const { document, translation, stamp } = last;
      const revision = address.translationRevision;
      if (revision !== null && revision === translation.revision) return document;
      if (hash(await valuesOf(translation.translatables)) === translation.values) {
        kept.set(key, { stamp, document, translation: { ...translation, revision } });
        return document;
      }
    }
    const found = await findSources(db, storeId, pageId);
    if (!found) return undefined;
    const tree = treeOf(found.document, found.sources);
    const translatables = translatablesOf(pageId, tree, found.sources);
    const values = await valuesOf(translatables);
    const made = makePage(pageId, tree, found.sources, localisation(pageId, locale, values));
    const head = { ...found, ...localHead(pageId, found, values), locale };
    const document = toLiveDocument(documentHtml(config, head, made));
    const { translationRevision: revision } = found;
    kept.set(key, {
      stamp: stampOf(found),
      document,
      translation: { revision, translatables, values: hash(values) },
    });
    return document;
  }

  return {
    read: (address, locale) => (locale ? readTranslated(address, locale) : readOriginal(address)),
  };
}

/** A document as it is sent. Its tag stands for its policy too, which a browser keeps with the bytes. */
export function toLiveDocument({ html, ...about }: DocumentHtml): LiveDocument {
  return { ...tagged(Buffer.from(html), JSON.stringify(about.allowed)), ...about };
}

const hash = (values: readonly object[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 32);
