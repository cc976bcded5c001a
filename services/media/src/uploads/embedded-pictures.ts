import sharp from 'sharp';
import { removeMetadata } from './metadata.ts';

/** Types of embedded pictures, as `data:` addresses name them. */
const embeddedTypes: Readonly<Record<string, string>> = {
  'image/jpeg': 'image/jpeg',
  'image/jpg': 'image/jpeg',
  'image/png': 'image/png',
  'image/webp': 'image/webp',
  'image/avif': 'image/avif',
  'image/gif': 'image/gif',
  'image/svg+xml': 'image/svg+xml',
};

const opening = 'data:image/';
/** Maximum length of a media type with its parameters. */
const maxHeader = 200;
const base64Run = /[A-Za-z0-9+/=\s]*/y;
const characterReference = /^&#(?:x[0-9a-f]{1,6}|\d{1,7});/i;
/** Maximum depth of embedded pictures that are cleaned: an SVG may embed SVGs. Deeper ones are left as they are. */
const maxDepth = 3;

/**
 * Removes the metadata of pictures that an SVG embeds as `data:` addresses in base64. A picture that cannot be read as
 * its declared type stays as it is, because no browser shows it.
 */
export async function cleanEmbeddedPictures(bytes: Buffer, depth = 1): Promise<Buffer> {
  const text = bytes.toString('utf8');
  const parts: string[] = [];
  let copiedUntil = 0;
  for (const { contentType, start, end } of findEmbeddedPictures(text)) {
    const original = decodeBase64(text.slice(start, end));
    const clean = original && (await cleanPicture(original, contentType, depth));
    if (!original || !clean || clean.equals(original)) continue;
    parts.push(text.slice(copiedUntil, start), clean.toString('base64'));
    copiedUntil = end;
  }
  return copiedUntil === 0 ? bytes : Buffer.from(parts.join('') + text.slice(copiedUntil));
}

/** Finds the base64 of each embedded picture in an SVG's text. */
function* findEmbeddedPictures(text: string): Generator<{ contentType: string; start: number; end: number }> {
  const lower = text.toLowerCase();
  let end = 0;
  for (let at = lower.indexOf(opening); at >= 0; at = lower.indexOf(opening, Math.max(at + 1, end))) {
    const comma = lower.slice(at, at + maxHeader).indexOf(',');
    if (comma < 0) continue;
    const [type = '', ...parameters] = lower.slice(at + 'data:'.length, at + comma).split(';');
    const contentType = Object.hasOwn(embeddedTypes, type) ? embeddedTypes[type]! : null;
    if (!contentType || parameters.at(-1)?.trim() !== 'base64') continue;
    const start = at + comma + 1;
    end = findEndOfValue(text, start);
    yield { contentType, start, end };
  }
}

/** Returns the end of the base64: the first character that is not part of base64, a space or a character reference. */
function findEndOfValue(text: string, start: number): number {
  let end = start;
  for (;;) {
    base64Run.lastIndex = end;
    end += base64Run.exec(text)![0].length;
    const reference = characterReference.exec(text.slice(end, end + 10));
    if (!reference) return end;
    end += reference[0].length;
  }
}

/**
 * Decodes base64 as it appears in XML, where editors break lines with characters or character references. Null when it
 * is not base64.
 */
function decodeBase64(value: string): Buffer | null {
  const base64 = value.replaceAll(/&#(?:x[0-9a-f]{1,6}|\d{1,7});/gi, '').replaceAll(/\s/g, '');
  return /^[A-Za-z0-9+/]{4,}={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : null;
}

async function cleanPicture(bytes: Buffer, contentType: string, depth: number): Promise<Buffer | null> {
  try {
    if (contentType === 'image/svg+xml') {
      const clean = removeMetadata(bytes, contentType, { orientation: 1 });
      return depth < maxDepth ? cleanEmbeddedPictures(clean, depth + 1) : clean;
    }
    const { orientation = 1, format } = await sharp(bytes, { limitInputPixels: false }).metadata();
    const isDeclaredType = contentType === `image/${format === 'heif' ? 'avif' : format}`;
    return isDeclaredType ? removeMetadata(bytes, contentType, { orientation }) : null;
  } catch {
    return null;
  }
}
