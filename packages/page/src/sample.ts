import { materialiseDocument, toFacts } from './document-sources.ts';
import type { Block, SlotSettings } from './model.ts';
import { references } from './references.ts';
import { type Rendered, render } from './render/render.ts';
import { resolve } from './resolve.ts';

/** The product shown where a merchant would choose one. */
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
 * Renders a block as the canvas of an empty store shows it, with settings given by slot. App values are shown as their
 * keys in braces, a sample product stands in for the merchant's choice, and islands are left out. An invalid block is
 * rendered as far as possible (`decisions.md 14.9`).
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
  const tree = materialiseDocument(document, parts);
  const lists = [...(tree ? references(tree).lists : [])].map(
    ([key, { type }]) =>
      [key, { ids: [type === 'productList' ? product.id : article.id], page: 1, pages: 1 }] as const,
  );
  const facts = toFacts({
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

/** Returns the settings with the sample product chosen wherever a trait allows a choice. */
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
