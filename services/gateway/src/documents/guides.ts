import { readdirSync, readFileSync } from 'node:fs';
import { Marked, type Tokens } from 'marked';

/** A guide in addition to the API's reference. */
export interface Guide {
  /** Last part of its address below `/docs/`. */
  slug: string;
  title: string;
  /** First paragraph as HTML, which introduces the topic. */
  lead: string;
  html: string;
}

const folder = new URL('../../guides/', import.meta.url);

/**
 * Reads the guides of `guides/`, in the order of the numbers in their file names. HTML in a guide is shown as text,
 * although we write the guides ourselves, because examples may be copied from anywhere.
 */
export function readGuides(): Guide[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) =>
      renderGuide(name.replace(/^\d+-|\.md$/g, ''), readFileSync(new URL(name, folder), 'utf8')),
    );
}

/** Renders a guide from Markdown that begins with a heading and a paragraph. */
function renderGuide(slug: string, markdown: string): Guide {
  const ids = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
      heading({ tokens, depth, text }: Tokens.Heading) {
        const base = createAnchor(text);
        const seen = ids.get(base) ?? 0;
        ids.set(base, seen + 1);
        const id = seen === 0 ? base : `${base}-${seen}`;
        const words = this.parser.parseInline(tokens);
        return depth === 1
          ? `<h1>${words}</h1>\n`
          : `<h${depth} id="${id}"><a href="#${id}">${words}</a></h${depth}>\n`;
      },
      // Wide tables and long lines scroll on their own on a phone.
      table(token: Tokens.Table) {
        const row = (cells: Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="wide" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
      code({ text, lang = '' }: Tokens.Code) {
        return `<pre tabindex="0"><code data-language="${escapeHtml(lang)}">${escapeHtml(text)}</code></pre>\n`;
      },
    },
  });
  const tokens = marked.lexer(markdown);
  const title = tokens.find((token): token is Tokens.Heading => token.type === 'heading')?.text ?? slug;
  const lead = tokens.find((token): token is Tokens.Paragraph => token.type === 'paragraph');
  return {
    slug,
    title,
    lead: lead ? (marked.parseInline(lead.text) as string) : '',
    html: marked.parser(tokens),
  };
}

/** Returns the anchor of a heading. */
function createAnchor(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-');
}

/** Escapes a text for HTML. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
