/** A part that the store has around its pages. */
export type PagePart = 'header' | 'footer';

/** The HTML of the store's header and footer around a page, and their rules. */
export interface PageParts {
  readonly html: Readonly<Record<PagePart, string>>;
  readonly css: string;
}

/**
 * Extracts header and footer from a whole page that the server rendered. Nothing in a style element or an attribute can
 * look like a tag there, because the renderer escapes it.
 */
export function extractPageParts(page: string): PageParts {
  const [, css = ''] = [...page.matchAll(/<style>([^<]*)<\/style>/g)].map(([, text]) => text);
  const body = page.slice(page.indexOf('<body>'), page.lastIndexOf('</body>'));
  const extractPart = (part: PagePart) => {
    const start = body.indexOf(`<${part} class="wb-site-${part}"`);
    const end = `</${part}>`;
    // Stops at the main part, because the page's own content may contain such an element, too.
    const stop = part === 'header' ? body.indexOf('<main', start) : body.length;
    return start < 0 ? '' : body.slice(start, body.lastIndexOf(end, stop) + end.length);
  };
  return { html: { header: extractPart('header'), footer: extractPart('footer') }, css };
}
