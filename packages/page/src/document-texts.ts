import type { ListFacts, PageFacts } from './facts.ts';
import { materialise } from './materialise.ts';
import type { PageDocument } from './model.ts';
import { resolve } from './resolve.ts';

/** A text of a document: the node's id, the name of the special (`text` for example), and the author's text. */
export interface DocumentText {
  nodeId: string;
  field: string;
  text: string;
}

/**
 * The id of a stand-in item, so that each list has one and repeated texts are collected, too. No document can contain
 * this id.
 */
const sampleId = 'any';
const sampleList: ListFacts = { ids: [sampleId], page: 1, pages: 1 };

/**
 * Returns the texts that a document contains, as a page requests their translations: the renderer's own requests form
 * the list. Default texts of elements, shown if the author wrote none, are not included.
 */
export function documentTexts(document: PageDocument): DocumentText[] {
  const specials = new Map(document.nodes.map(({ id, props }) => [id, props?.specials ?? {}]));
  const texts = new Map<string, DocumentText>();
  const nothing: Pick<PageFacts, 'products' | 'media' | 'pages' | 'articles'> = {
    products: new Map([[sampleId, { id: sampleId, name: '', priceCents: null, variants: [] }]]),
    media: new Map(),
    pages: new Map(),
    articles: new Map([[sampleId, { id: sampleId, title: '', url: '', excerpt: '', publishedAt: '' }]]),
  };
  const tree = materialise(document, { sections: new Map(), block: () => undefined, publish: false });
  if (!tree) return [];
  resolve(tree, {
    ...nothing,
    currency: 'EUR',
    lists: { get: () => sampleList },
    translate(nodeId, field, text) {
      const isAuthored = Object.hasOwn(specials.get(nodeId) ?? {}, field.split('.', 1)[0]!);
      if (isAuthored && text.trim() !== '') texts.set(`${nodeId} ${field}`, { nodeId, field, text });
      return undefined;
    },
  });
  return [...texts.values()];
}
