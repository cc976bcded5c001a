import {
  type DOMOutputSpec,
  DOMSerializer,
  type MarkSpec,
  type Node,
  DOMParser as ProseParser,
  Schema,
} from 'prosemirror-model';

const createTextMark = (...tags: [string, ...string[]]): MarkSpec => ({
  toDOM: (): DOMOutputSpec => [tags[0], 0],
  parseDOM: tags.map((tag) => ({ tag })),
});

/** Attributes that are kept unchanged; null if the element lacks them. */
const kept = (...names: string[]) => ({
  attrs: Object.fromEntries(names.map((name) => [name, { default: null }])),
  getAttributes: ({ attrs }: { attrs: Record<string, string | null> }) =>
    Object.fromEntries(names.filter((name) => attrs[name] !== null).map((name) => [name, attrs[name]])),
  getAttrs: (element: HTMLElement) =>
    Object.fromEntries(names.map((name) => [name, element.getAttribute(name)])),
});

const link = kept('href', 'title', 'target', 'rel');
const image = kept('src', 'alt', 'title', 'width', 'height', 'loading');
const numbered = kept('start');
const levels = [1, 2, 3, 4, 5, 6];

/** The HTML that can be edited visually. Texts with anything else are edited as source, so that nothing is lost. */
export const schema = new Schema({
  nodes: {
    doc: { content: 'block+' },
    paragraph: { group: 'block', content: 'inline*', toDOM: () => ['p', 0], parseDOM: [{ tag: 'p' }] },
    heading: {
      group: 'block',
      content: 'inline*',
      defining: true,
      attrs: { level: { default: 2 } },
      toDOM: ({ attrs }) => [`h${attrs.level}`, 0],
      parseDOM: levels.map((level) => ({ tag: `h${level}`, attrs: { level } })),
    },
    blockquote: {
      group: 'block',
      content: 'block+',
      defining: true,
      toDOM: () => ['blockquote', 0],
      parseDOM: [{ tag: 'blockquote' }],
    },
    bulletList: { group: 'block', content: 'listItem+', toDOM: () => ['ul', 0], parseDOM: [{ tag: 'ul' }] },
    orderedList: {
      group: 'block',
      content: 'listItem+',
      attrs: numbered.attrs,
      toDOM: (node) => ['ol', numbered.getAttributes(node), 0],
      parseDOM: [{ tag: 'ol', getAttrs: numbered.getAttrs }],
    },
    listItem: {
      content: 'block+',
      defining: true,
      toDOM: () => ['li', 0],
      parseDOM: [{ tag: 'li' }],
    },
    codeBlock: {
      group: 'block',
      content: 'text*',
      marks: '',
      code: true,
      defining: true,
      toDOM: () => ['pre', ['code', 0]],
      parseDOM: [{ tag: 'pre', preserveWhitespace: 'full' }],
    },
    horizontalRule: { group: 'block', toDOM: () => ['hr'], parseDOM: [{ tag: 'hr' }] },
    text: { group: 'inline' },
    hardBreak: {
      group: 'inline',
      inline: true,
      selectable: false,
      toDOM: () => ['br'],
      parseDOM: [{ tag: 'br' }],
    },
    image: {
      group: 'inline',
      inline: true,
      draggable: true,
      attrs: image.attrs,
      toDOM: (node) => ['img', image.getAttributes(node)],
      parseDOM: [{ tag: 'img', getAttrs: image.getAttrs }],
    },
  },
  marks: {
    link: {
      attrs: link.attrs,
      inclusive: false,
      toDOM: (mark) => ['a', link.getAttributes(mark), 0],
      parseDOM: [{ tag: 'a[href]', getAttrs: link.getAttrs }],
    },
    bold: createTextMark('strong', 'b'),
    italic: createTextMark('em', 'i'),
    underline: createTextMark('u'),
    strike: createTextMark('s'),
    highlight: createTextMark('mark'),
    subscript: createTextMark('sub'),
    superscript: createTextMark('sup'),
    code: createTextMark('code'),
  },
});

const known =
  'p h1 h2 h3 h4 h5 h6 blockquote ul ol li pre hr br strong b em i u s mark sub sup code a img'.split(' ');
const attributes: Readonly<Record<string, object>> = { a: link.attrs, img: image.attrs, ol: numbered.attrs };

/** Whether the schema can represent a node and everything within it. */
function isKnown(node: globalThis.Node): boolean {
  const { nodeType, parentNode } = node;
  if (nodeType === 3) return node.nodeValue!.trim() === '' || !/^[OU]L$/.test(parentNode?.nodeName ?? '');
  if (nodeType !== 1) return false;
  const { localName, parentElement } = node as Element;
  if (localName === 'a' && !(node as Element).hasAttribute('href')) return false;
  // A code block can hold neither marks nor other elements.
  if (localName !== 'code' && parentElement?.closest('pre')) return false;
  return (
    known.includes(localName) &&
    (localName === 'li') === /^[OU]L$/.test(parentNode?.nodeName ?? '') &&
    (node as Element).getAttributeNames().every((name) => Object.hasOwn(attributes[localName] ?? {}, name)) &&
    [...node.childNodes].every(isKnown)
  );
}

/**
 * Converts parsed HTML to a document, or returns null if anything would be lost. `parsed` must be in an inert document.
 */
export const toDoc = (parsed: DocumentFragment): Node | null =>
  [...parsed.childNodes].every(isKnown) ? ProseParser.fromSchema(schema).parse(parsed) : null;

const serializer = DOMSerializer.fromSchema(schema);

/** Converts a document to HTML, one block per line. An empty document gives an empty text. */
export function toHtml(doc: Node, inert: Document): string {
  if (doc.childCount === 1 && doc.firstChild!.isTextblock && doc.firstChild!.content.size === 0) return '';
  const lines: string[] = [];
  doc.forEach((block) => {
    const shown = inert.createElement('div');
    shown.append(serializer.serializeNode(block, { document: inert }));
    // A list item with a single paragraph is written without the `<p>`.
    for (const item of shown.querySelectorAll('li')) {
      const [first, ...others] = item.children;
      if (first?.localName === 'p' && others.every(({ localName }) => /^[ou]l$/.test(localName)))
        first.replaceWith(...first.childNodes);
    }
    lines.push(shown.innerHTML);
  });
  return lines.join('\n');
}
