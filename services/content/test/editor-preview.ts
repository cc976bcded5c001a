import { type DocumentSources, type PageDocument, type Rendered, renderDocument } from '@waybill/page';

declare global {
  var drawn: (json: string) => Rendered;
}

/** Bundled for the browser: the package alone makes a page's HTML and CSS there, from the server's answer. */
globalThis.drawn = (json) => {
  const { document, sources }: { document: PageDocument; sources: DocumentSources } = JSON.parse(json);
  return renderDocument(document, sources);
};
