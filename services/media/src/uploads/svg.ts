import { createReadStream } from 'node:fs';
import { SaxesParser } from 'saxes';

const maxDepth = 256;
/** Of a length; a longer one is no size of a picture. */
const maxLength = 100;
const svgNamespace = 'http://www.w3.org/2000/svg';

/** The size that an SVG asks for; null where it does not say. */
export interface SvgSize {
  width: number | null;
  height: number | null;
}

/**
 * Reads an SVG: well-formed XML in UTF-8 whose root is `svg` of its namespace or of none, without declarations of
 * its own (entities). Null: it is none.
 */
export async function readSvg(path: string): Promise<SvgSize | null> {
  const parser = new SaxesParser({ xmlns: true });
  let size: SvgSize | null = null;
  let depth = 0;
  const refuse = () => {
    throw new NoSvg();
  };
  parser.on('error', refuse);
  parser.on('doctype', (text) => {
    if (text.includes('[')) refuse();
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    if (++depth > maxDepth) refuse();
    if (size) return;
    if (local !== 'svg' || (uri !== svgNamespace && uri !== '')) refuse();
    const values = Object.fromEntries(Object.entries(attributes).map(([name, { value }]) => [name, value]));
    size = sizeOf(values);
  });
  parser.on('closetag', () => {
    depth--;
  });
  try {
    const utf8 = new TextDecoder('utf-8', { fatal: true });
    for await (const chunk of createReadStream(path)) parser.write(utf8.decode(chunk, { stream: true }));
    parser.write(utf8.decode()).close();
    return size;
  } catch (error) {
    const isNotUtf8 = (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
    if (error instanceof NoSvg || isNotUtf8) return null;
    throw error;
  }
}

class NoSvg extends Error {}

/** Lengths in pixels, or else the view box, as browsers do it. */
function sizeOf(attributes: Record<string, string>): SvgSize {
  const [, , boxWidth, boxHeight] = (attributes.viewBox ?? '').slice(0, 5 * maxLength).trim().split(/[\s,]+/);
  return {
    width: pixels(attributes.width) ?? pixels(boxWidth),
    height: pixels(attributes.height) ?? pixels(boxHeight),
  };
}

function pixels(length: string | undefined): number | null {
  const text = length?.trim() ?? '';
  const [, number] = text.length > maxLength ? [] : (/^([0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:px)?$/.exec(text) ?? []);
  const rounded = Math.round(Number(number));
  return rounded >= 1 && rounded <= 1_000_000 ? rounded : null;
}
