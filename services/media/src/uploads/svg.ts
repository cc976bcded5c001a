import { readFile } from 'node:fs/promises';
import { SaxesParser } from 'saxes';
import { checkExpansion, EntityProblem, parseEntities } from './entities.ts';
import { decodeXml, EncodingProblem } from './svg-encoding.ts';

const maxDepth = 256;
/** Maximum length of a size attribute; a longer one is not a size. */
const maxLength = 100;
const svgNamespace = 'http://www.w3.org/2000/svg';

/** The size that an SVG declares; null where it declares none. */
export interface SvgSize {
  width: number | null;
  height: number | null;
}

/**
 * Reads an SVG: well-formed XML whose root is `svg` of the SVG namespace or of none, with no entities but its
 * own. Returns the broken rule instead when it is refused.
 */
export async function readSvg(path: string): Promise<SvgSize | string> {
  const bytes = await readFile(path);
  try {
    return parseSvg(decodeXml(bytes));
  } catch (error) {
    if (error instanceof BrokenRule || error instanceof EntityProblem || error instanceof EncodingProblem)
      return error.message;
    throw error;
  }
}

/** @throws BrokenRule, EntityProblem */
function parseSvg(text: string): SvgSize {
  const parser = new SaxesParser({ xmlns: true });
  let size: SvgSize | null = null;
  let depth = 0;
  const refuse = (rule: string): never => {
    throw new BrokenRule(rule);
  };
  parser.on('error', ({ message }) => refuse(`is not well-formed XML: ${message.replace(/\.$/, '')}`));
  parser.on('doctype', (doctype) => {
    const entities = parseEntities(doctype);
    checkExpansion(text, entities);
    Object.assign(parser.ENTITIES, Object.fromEntries(entities));
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    if (++depth > maxDepth) refuse(`has elements nested more than ${maxDepth} deep`);
    if (size) return;
    if (local !== 'svg' || (uri !== svgNamespace && uri !== '')) refuse('is XML, but no SVG');
    const values = Object.fromEntries(Object.entries(attributes).map(([name, { value }]) => [name, value]));
    size = readSize(values);
  });
  parser.on('closetag', () => {
    depth--;
  });
  parser.write(text).close();
  return size ?? refuse('has no svg element');
}

class BrokenRule extends Error {}

/** Returns the lengths in pixels, or else those of the view box, as browsers do. */
function readSize(attributes: Record<string, string>): SvgSize {
  const box = (attributes.viewBox ?? '').slice(0, 5 * maxLength);
  const [, , boxWidth, boxHeight] = box.trim().split(/[\s,]+/);
  return {
    width: parsePixels(attributes.width) ?? parsePixels(boxWidth),
    height: parsePixels(attributes.height) ?? parsePixels(boxHeight),
  };
}

function parsePixels(length: string | undefined): number | null {
  const text = length?.trim() ?? '';
  if (text.length > maxLength) return null;
  const [, number] = /^([0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:px)?$/.exec(text) ?? [];
  const rounded = Math.round(Number(number));
  return rounded >= 1 && rounded <= 1_000_000 ? rounded : null;
}
