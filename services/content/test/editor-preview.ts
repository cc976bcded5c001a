import { type DocumentSources, type PageDocument, type Rendered, renderDocument } from '@waybill/page';

declare global {
  var drawn: (json: string) => Rendered;
}

/** Bundled for the browser: the package alone makes a page's HTML and CSS there, of what the server answered. */
globalThis.drawn = (json) => {
  const { document, sources }: { document: PageDocument; sources: DocumentSources } = JSON.parse(json);
  return renderDocument(document, sources);
};
