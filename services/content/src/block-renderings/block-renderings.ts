import type { BlockRendering } from '@waybill/contracts';
import {
  type Block,
  type DocumentSources,
  references,
  renderDocument,
  type SlotSettings,
  treeOf,
} from '@waybill/page';
import { appDataOf } from '../rendering/sources.ts';

/** What stands for a product where a merchant would choose one. */
const product = {
  id: `prd_${'0'.repeat(26)}`,
  name: 'Sample product',
  priceCents: 1990,
  variants: [{ id: `var_${'0'.repeat(26)}`, name: 'Sample variant', priceCents: 1990, stock: 5 }],
};

const article = {
  ...{ id: `art_${'0'.repeat(26)}`, title: 'Sample article', url: '#', excerpt: 'What it is about.' },
  ...{ publishedAt: '2026-01-01T00:00:00.000Z', body: '<p>Its text.</p>' },
};

/**
 * A block as the canvas shows it in a store that has nothing of its own: where an app's value would stand its key in
 * braces, a sample product where the merchant would choose one, no islands. Of a block that is not valid, what can be
 * shown. `decisions.md 14.9`.
 */
export function renderBlock(appId: string, block: Block): BlockRendering {
  const key = 'block';
  const props = { specials: { appId, blockKey: key }, settings: chosenProducts(block) };
  const document = { rootId: 'reference', nodes: [{ id: 'reference', type: 'blockRef', props }] };
  const parts = { sections: {}, apps: { [appId]: { blocks: { [key]: block } } } };
  const tree = treeOf(document, parts);
  const sources: DocumentSources = {
    ...parts,
    currency: 'EUR',
    products: { [product.id]: product },
    articles: { [article.id]: article },
    lists: Object.fromEntries(
      [...(tree ? references(tree).lists : [])].map(([key, { type }]) => [
        key,
        { ids: [type === 'productList' ? product.id : article.id], page: 1, pages: 1 },
      ]),
    ),
    place: { home: '#', blog: '#', cart: '#', search: '#' },
    media: {},
    pages: {},
    appValues: tree ? appDataOf(tree).map((name) => ({ ...name, value: `{${name.key}}` })) : [],
  };
  return renderDocument(document, sources, { canvas: true });
}

/** The settings of a merchant who has chosen the sample product wherever a trait lets one choose. */
function chosenProducts({ traits }: Block): Record<string, SlotSettings> {
  const choices = (traits ?? [])
    .flatMap(({ attributes }) => attributes)
    .filter(({ target, writeKey }) => target === 'specials' && writeKey === 'productId');
  return Object.fromEntries(choices.map(({ slot }) => [slot, { specials: { productId: product.id } }]));
}
