import { SaxesParser } from 'saxes';
import { parseEntities } from './entities.ts';
import { decodeXml } from './svg-encoding.ts';

/** Namespaces of the names that tell who made a picture, with which tool and when. Browsers show nothing of them. */
const privateNamespaces = [
  'http://www.inkscape.org/',
  'http://sodipodi.sourceforge.net/',
  'http://inkscape.sourceforge.net/',
  'http://ns.adobe.com/',
  'http://www.bohemiancoding.com/',
  'http://www.figma.com/',
  'https://www.figma.com/',
  'http://www.serif.com/',
  'http://vectornator.io',
  'https://boxy-svg.com',
  'http://creativecommons.org/ns',
  'http://web.resource.org/cc/',
  'http://purl.org/dc/',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns',
  'http://schemas.microsoft.com/visio/',
];

const isPrivate = (uri: string) => privateNamespaces.some((namespace) => uri.startsWith(namespace));

/** Removes `metadata`, comments and the private data of editors from a well-formed SVG, which is in UTF-8 afterwards. */
export function cleanSvg(bytes: Buffer): Buffer {
  const text = decodeXml(bytes);
  if (!['<!--', 'metadata', ...privateNamespaces].some((sign) => text.includes(sign))) return bytes;
  const parts: string[] = [];
  let copiedUntil = 0;
  const remove = (start: number, end: number) => {
    parts.push(text.slice(copiedUntil, start));
    copiedUntil = end;
  };
  const parser = new SaxesParser({ xmlns: true });
  let depth = 0;
  /** The outermost element being removed, while it is open. */
  let removed: { depth: number; start: number } | null = null;
  let attributeEnds: { name: string; end: number }[] = [];
  parser.on('doctype', (doctype) => {
    Object.assign(parser.ENTITIES, Object.fromEntries(parseEntities(doctype)));
  });
  parser.on('comment', () => {
    if (removed) return;
    const start = text.lastIndexOf('<!--', parser.position);
    remove(start, text.indexOf('-->', start) + '-->'.length);
  });
  parser.on('attribute', ({ name }) => {
    attributeEnds.push({ name, end: parser.position });
  });
  parser.on('opentag', ({ name, local, uri, attributes }) => {
    depth++;
    const ends = attributeEnds;
    attributeEnds = [];
    if (removed) return;
    // No attribute value contains this character.
    const start = text.lastIndexOf('<', parser.position - 1);
    if (isPrivate(uri) || (local === 'metadata' && depth > 1)) {
      removed = { depth, start };
      return;
    }
    let from = start + 1 + name.length;
    for (const { name: attribute, end } of ends) {
      if (isPrivate(attributes[attribute]?.uri ?? '')) remove(from, end);
      from = end;
    }
  });
  parser.on('closetag', () => {
    if (removed?.depth === depth) {
      remove(removed.start, parser.position);
      removed = null;
    }
    depth--;
  });
  parser.write(text).close();
  return copiedUntil === 0 ? bytes : Buffer.from(parts.join('') + text.slice(copiedUntil));
}
