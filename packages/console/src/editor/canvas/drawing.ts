import {
  type DocumentSources,
  type PageDocument,
  pageMain,
  pageStyle,
  type RenderedPlace,
  type RenderedWithPlaces,
  renderDocument,
} from '@waybill/page';

/** A document as the canvas shows it: the body and styles of its page, and the place of each node in the body. */
export interface Drawing {
  readonly html: string;
  readonly css: string;
  /** The body first, then its contents, parents before children, as `RenderedPlace`s. */
  readonly places: readonly RenderedPlace[];
}

/** Ordinal of the body, which is not an element of the HTML. */
const bodyOrdinal = -2;

export const isBody = ({ ordinal }: RenderedPlace): boolean => ordinal === bodyOrdinal;

const bodyOf = (html: string, elements: number): RenderedPlace => ({
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
export function withSection(
  around: DocumentSources,
  sectionId: string,
  section: PageDocument,
  own: DocumentSources | undefined,
): DocumentSources {
  const texts = Object.entries(own?.texts ?? {}).map(([id, fields]) => [
    // Ids of a nested section already name that section.
    id.includes(':') ? id : `${sectionId}:${id}`,
    fields,
  ]);
  return {
    ...around,
    sections: { ...around.sections, ...own?.sections, [sectionId]: section },
    apps: { ...around.apps, ...own?.apps },
    products: { ...around.products, ...own?.products },
    media: { ...around.media, ...own?.media },
    pages: { ...around.pages, ...own?.pages },
    articles: { ...around.articles, ...own?.articles },
    lists: { ...around.lists, ...own?.lists },
    appValues: [...around.appValues, ...(own?.appValues ?? [])],
    texts: { ...around.texts, ...Object.fromEntries(texts) },
  };
}

export const nothingDrawn: Drawing = { html: '', css: '', places: [bodyOf('', 0)] };

const mainTag = '<main>';

/** Adds a place for the landmark's own element, which the renderer counts without giving it a place. */
function inLandmark({ html, css, places }: RenderedWithPlaces): Drawing {
  // For an empty document not even the landmark is written.
  if (html === '') return { html, css: pageStyle(css), places: [bodyOf(html, 0), ...places] };
  const elements = (places[0]?.elements ?? 0) + 1;
  const landmark = { path: '', ordinal: 0, start: 0, end: html.length, elements };
  return { html, css: pageStyle(css), places: [bodyOf(html, elements), landmark, ...places] };
}

/**
 * Draws a document with exactly the bytes that publishing gives, except for the marks of islands (`store-api.md 4.12`,
 * rule 12).
 */
export function drawingOf(
  document: PageDocument,
  sources: DocumentSources,
  landmark?: 'header' | 'footer',
): Drawing {
  const rendered = renderDocument(document, sources, {
    places: true,
    islands: false,
    ...(landmark && { landmark }),
  });
  if (landmark) return inLandmark(rendered);
  const html = pageMain(rendered.html);
  const css = pageStyle(rendered.css);
  const elements = rendered.places[0]?.elements ?? 0;
  if (html === rendered.html) return { html, css, places: [bodyOf(html, elements), ...rendered.places] };
  const main = { path: '', ordinal: 0, start: 0, end: html.length, elements: elements + 1 };
  const inside = rendered.places.map((place) => ({
    ...place,
    ordinal: place.ordinal === -1 ? -1 : place.ordinal + 1,
    start: place.start + mainTag.length,
    end: place.end + mainTag.length,
  }));
  return { html, css, places: [bodyOf(html, elements + 1), main, ...inside] };
}
