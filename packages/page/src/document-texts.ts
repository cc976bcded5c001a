import type { ListFacts, PageFacts } from './facts.ts';
import { materialise } from './materialise.ts';
import type { PageDocument } from './model.ts';
import { resolve } from './resolve.ts';

/** A text of a document: the node's id in it, the name of the special, `text` for one, and what its author wrote. */
export interface DocumentText {
  nodeId: string;
  field: string;
  text: string;
}

/** What every list shows one of, so that what is repeated is asked for as well; no document can name it. */
const any = 'any';
const oneOfAny: ListFacts = { ids: [any], page: 1, pages: 1 };

/**
 * The texts that a document holds itself, as a page asks for their translations: the renderer's own questions are
 * the list. What an element says where its author said nothing is not among them.
 */
export function documentTexts(document: PageDocument): DocumentText[] {
  const specials = new Map(document.nodes.map(({ id, props }) => [id, props?.specials ?? {}]));
  const texts = new Map<string, DocumentText>();
  const nothing: Pick<PageFacts, 'products' | 'media' | 'pages' | 'articles'> = {
    products: new Map([[any, { id: any, name: '', priceCents: null, variants: [] }]]),
    media: new Map(),
    pages: new Map(),
    articles: new Map([[any, { id: any, title: '', url: '', excerpt: '', publishedAt: '' }]]),
  };
  const tree = materialise(document, { sections: new Map(), block: () => undefined, publish: false });
  if (!tree) return [];
  resolve(tree, {
    ...nothing,
    currency: 'EUR',
    lists: { get: () => oneOfAny } as unknown as ReadonlyMap<string, ListFacts>,
    translate(nodeId, field, text) {
      const isAuthored = Object.hasOwn(specials.get(nodeId) ?? {}, field.split('.', 1)[0]!);
      if (isAuthored && text.trim() !== '') texts.set(`${nodeId} ${field}`, { nodeId, field, text });
      return undefined;
    },
  });
  return [...texts.values()];
}
