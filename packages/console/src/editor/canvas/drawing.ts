import {
  type DocumentSources,
  type PageDocument,
  pageMain,
  pageStyle,
  type RenderedSpan,
  type RenderedWithSpans,
  renderDocument,
} from '@waybill/page';

/** A document as the canvas shows it: the body and styles of its page, and the place of each node in the body. */
export interface Drawing {
  readonly html: string;
  readonly css: string;
  /** The body first, then its contents, parents before children, as `RenderedSpan`s. */
  readonly spans: readonly RenderedSpan[];
}

/** Ordinal of the body, which is not an element of the HTML. */
const bodyOrdinal = -2;

export const isBody = ({ ordinal }: RenderedSpan): boolean => ordinal === bodyOrdinal;

const bodySpan = (html: string, elements: number): RenderedSpan => ({
  path: '',
  ordinal: bodyOrdinal,
  start: 0,
  end: html.length,
  elements,
});

/**
 * Returns the sources of a document in which one global section is being edited, combined with that section's own
 * sources.
 */
export function mergeSectionSources(
  outerSources: DocumentSources,
  sectionId: string,
  section: PageDocument,
  sectionSources: DocumentSources | undefined,
): DocumentSources {
  const texts = Object.entries(sectionSources?.texts ?? {}).map(([id, fields]) => [
    // Ids of a nested section already name that section.
    id.includes(':') ? id : `${sectionId}:${id}`,
    fields,
  ]);
  return {
    ...outerSources,
    sections: { ...outerSources.sections, ...sectionSources?.sections, [sectionId]: section },
    apps: { ...outerSources.apps, ...sectionSources?.apps },
    products: { ...outerSources.products, ...sectionSources?.products },
    media: { ...outerSources.media, ...sectionSources?.media },
    pages: { ...outerSources.pages, ...sectionSources?.pages },
    articles: { ...outerSources.articles, ...sectionSources?.articles },
    lists: { ...outerSources.lists, ...sectionSources?.lists },
    appValues: [...outerSources.appValues, ...(sectionSources?.appValues ?? [])],
    texts: { ...outerSources.texts, ...Object.fromEntries(texts) },
  };
}

export const emptyDrawing: Drawing = { html: '', css: '', spans: [bodySpan('', 0)] };

const mainTag = '<main>';

/** Adds a place for the landmark's own element, which the renderer counts without giving it a place. */
function drawLandmark({ html, css, spans }: RenderedWithSpans): Drawing {
  // For an empty document not even the landmark is written.
  if (html === '') return { html, css: pageStyle(css), spans: [bodySpan(html, 0), ...spans] };
  const elements = (spans[0]?.elements ?? 0) + 1;
  const landmark = { path: '', ordinal: 0, start: 0, end: html.length, elements };
  return { html, css: pageStyle(css), spans: [bodySpan(html, elements), landmark, ...spans] };
}

/**
 * Draws a document with exactly the bytes that publishing gives, except for the marks of islands (`store-api.md 4.12`,
 * rule 12).
 */
export function drawDocument(
  document: PageDocument,
  sources: DocumentSources,
  landmark?: 'header' | 'footer',
): Drawing {
  const rendered = renderDocument(document, sources, {
    spans: true,
    islands: false,
    ...(landmark && { landmark }),
  });
  if (landmark) return drawLandmark(rendered);
  const html = pageMain(rendered.html);
  const css = pageStyle(rendered.css);
  const elements = rendered.spans[0]?.elements ?? 0;
  if (html === rendered.html) return { html, css, spans: [bodySpan(html, elements), ...rendered.spans] };
  const mainSpan = { path: '', ordinal: 0, start: 0, end: html.length, elements: elements + 1 };
  const shifted = rendered.spans.map((span) => ({
    ...span,
    ordinal: span.ordinal === -1 ? -1 : span.ordinal + 1,
    start: span.start + mainTag.length,
    end: span.end + mainTag.length,
  }));
  return { html, css, spans: [bodySpan(html, elements + 1), mainSpan, ...shifted] };
}
