import { factsOf, treeOf } from './document-sources.ts';
import type { Block, SlotSettings } from './model.ts';
import { references } from './references.ts';
import { type Rendered, render } from './render/render.ts';
import { resolve } from './resolve.ts';

/** What stands for a product where a merchant would choose one. */
const product = {
  id: `prd_${'0'.repeat(26)}`,
  name: 'Sample product',
  priceCents: 1990,
  variants: [{ id: `var_${'0'.repeat(26)}`, name: 'Sample variant', priceCents: 1990, stock: 5 }],
};

const article = {
  id: `art_${'0'.repeat(26)}`,
  title: 'Sample article',
  url: '#',
  excerpt: 'What it is about.',
  publishedAt: '2026-01-01T00:00:00.000Z',
  body: '<p>Its text.</p>',
};

/**
 * A block as the canvas shows it in a store that has nothing of its own, its settings those given by slot: where an
 * app's value would stand its key in braces, a sample product where the merchant would choose one, no islands. Of a
 * block that is not valid, what can be shown. `decisions.md 14.9`.
 */
export function renderSample(
  appId: string,
  block: Block,
  settings: Readonly<Record<string, SlotSettings>> = {},
): Rendered {
  const key = 'block';
  const props = {
    specials: { appId, blockKey: key },
    settings: { ...settings, ...chosenProducts(block, settings) },
  };
  const document = { rootId: 'reference', nodes: [{ id: 'reference', type: 'blockRef', props }] };
  const parts = { sections: {}, apps: { [appId]: { blocks: { [key]: block } } } };
  const products = { [product.id]: product };
  const tree = treeOf(document, parts);
  const lists = [...(tree ? references(tree).lists : [])].map(
    ([key, { type }]) =>
      [key, { ids: [type === 'productList' ? product.id : article.id], page: 1, pages: 1 }] as const,
  );
  const facts = factsOf({
    ...parts,
    currency: 'EUR',
    products,
    media: {},
    pages: {},
    appValues: [],
    articles: { [article.id]: article },
    lists: Object.fromEntries(lists),
    place: { home: '#', blog: '#', cart: '#', search: '#' },
  });
  const shown = tree && resolve(tree, { ...facts, appValue: (_appId, name) => `{${name}}` });
  return render(shown, { canvas: true });
}

/** The settings of a merchant who has chosen the sample product wherever a trait lets one choose. */
function chosenProducts(
  { traits }: Block,
  settings: Readonly<Record<string, SlotSettings>>,
): Record<string, SlotSettings> {
  const choices = (traits ?? [])
    .flatMap(({ attributes }) => attributes)
    .filter(({ target, writeKey }) => target === 'specials' && writeKey === 'productId');
  return Object.fromEntries(
    choices.map(({ slot }) => {
      const own = Object.hasOwn(settings, slot) ? settings[slot] : undefined;
      return [slot, { ...own, specials: { productId: product.id, ...own?.specials } }];
    }),
  );
}
