import { materialise, type PageDocument, type PageFacts, resolve } from '@waybill/page';
import type { NodeText } from '../translations/translatable.ts';

/**
 * The texts that a document holds itself, as a page asks for their translations: the renderer's own questions are
 * the list. What an element says where its author said nothing is not among them.
 */
export function translatableTexts(document: PageDocument): NodeText[] {
  const specials = new Map(document.nodes.map(({ id, props }) => [id, props?.specials ?? {}]));
  const texts = new Map<string, NodeText>();
  const nothing: Pick<PageFacts, 'products' | 'media' | 'pages'> = {
    products: new Map(),
    media: new Map(),
    pages: new Map(),
  };
  const tree = materialise(document, { sections: new Map(), block: () => undefined, publish: false });
  if (!tree) return [];
  resolve(tree, {
    ...nothing,
    currency: 'EUR',
    translate(nodeId, field, text) {
      const isAuthored = Object.hasOwn(specials.get(nodeId) ?? {}, field.split('.', 1)[0]!);
      if (isAuthored && text.trim() !== '') texts.set(`${nodeId} ${field}`, { nodeId, field });
      return undefined;
    },
  });
  return [...texts.values()];
}
