import { type Facts, materialise, type PageDocument, pageHtml, render, resolve } from '@waybill/page';

/** What an editor has at hand when it shows how a page will be. */
export interface Preview {
  document: PageDocument;
  sections: Record<string, PageDocument>;
  facts: { currency: string } & Record<'products' | 'media' | 'pages', Record<string, unknown>>;
  head: { title: string; lang: string; canonicalUrl: string };
}

declare global {
  var previewOf: (preview: Preview) => string;
}

/** Bundled for the browser: the package alone makes the whole document there. */
globalThis.previewOf = ({ document, sections, facts, head }) => {
  const tree = materialise(document, {
    sections: new Map(Object.entries(sections)),
    block: () => undefined,
    publish: true,
  });
  const maps = {
    products: new Map(Object.entries(facts.products)),
    media: new Map(Object.entries(facts.media)),
    pages: new Map(Object.entries(facts.pages)),
  } as unknown as Pick<Facts, 'products' | 'media' | 'pages'>;
  return pageHtml({ ...render(tree && resolve(tree, { currency: facts.currency, ...maps })), ...head });
};
