import { crc32 } from 'node:zlib';
import { cleanSvg } from './svg-metadata.ts';

/** The properties that a picture keeps besides its pixels. */
interface PreservedProperties {
  /** The Exif orientation; 1 is upright. */
  orientation: number;
}

const emptyBytes = Buffer.alloc(0);

/**
 * Removes from a picture where, when, by whom and with what it was made: Exif, XMP, IPTC, comments, thumbnails, and
 * pictures or films after its end. Pixels, orientation and colour profile stay. The picture must be complete.
 */
export function removeMetadata(bytes: Buffer, contentType: string, preserved: PreservedProperties): Buffer {
  return cleaners[contentType]?.(bytes, preserved) ?? bytes;
}

/** Builds Exif data that holds only the orientation: a TIFF of one entry. */
function buildExif({ orientation }: PreservedProperties): Buffer {
  if (!(orientation > 1 && orientation <= 8)) return emptyBytes;
  const tiff = Buffer.from('49492a00080000000100120103000100000000000000' + '00000000', 'hex');
  tiff.writeUInt16LE(orientation, 18);
  return tiff;
}

const exifHeader = Buffer.from('Exif\0\0', 'latin1');
const iccHeader = Buffer.from('ICC_PROFILE\0', 'latin1');
const endOfImage = Buffer.from([0xff, 0xd9]);

/**
 * Signatures of metadata, and of films that cameras append to a picture. They are long enough not to occur in noise.
 */
const personalSignatures = [
  'Exif\0\0',
  'xmpmeta',
  'Photoshop 3.0',
  'ftypmp42',
  'ftypisom',
  'ftypqt  ',
  'ftypheic',
].map((text) => Buffer.from(text, 'latin1'));

/** Returns the bytes after the end of a picture, unless they may contain personal data. */
function trailingBytes(bytes: Buffer, end: number): Buffer {
  const tail = bytes.subarray(Math.min(end, bytes.length));
  return personalSignatures.some((signature) => tail.includes(signature)) ? emptyBytes : tail;
}

function cleanJpeg(bytes: Buffer, preserved: PreservedProperties): Buffer {
  const parts = [bytes.subarray(0, 2)];
  const exif = buildExif(preserved);
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, 0]), exifHeader, exif]);
  segment.writeUInt16BE(segment.length - 2, 2);
  let isExifDue = exif.length > 0;
  let at = 2;
  // Padding after the end has no room for a segment.
  while (at + 2 <= bytes.length) {
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === 0xd9 || at + 4 > bytes.length) break;
    let end = at + 2 + bytes.readUInt16BE(at + 2);
    const isApplication = marker >= 0xe0 && marker <= 0xef;
    // Exif must follow JFIF.
    if (isExifDue && marker !== 0xe0) {
      parts.push(segment);
      isExifDue = false;
    }
    if (marker === 0xda) end = findEndOfScan(bytes, end);
    const isPreserved =
      marker === 0xe0
        ? bytes.toString('latin1', at + 4, at + 8) === 'JFIF'
        : marker === 0xe2
          ? bytes.subarray(at + 4, at + 4 + iccHeader.length).equals(iccHeader)
          : marker === 0xee || !(isApplication || marker === 0xfe);
    if (isPreserved) parts.push(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat([...parts, endOfImage, trailingBytes(bytes, at + 2)]);
}

/** Returns the position of the next marker that does not belong to the scan itself. */
function findEndOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next === undefined) break;
    const belongsToScan = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (!belongsToScan) return at;
  }
  return bytes.length;
}

const pngChunks = new Set(
  (
    'IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV mDCv cLLI cLLi bKGD hIST pHYs sPLT ' +
    'acTL fcTL fdAT'
  ).split(' '),
);

function cleanPng(bytes: Buffer, preserved: PreservedProperties): Buffer {
  const parts = [bytes.subarray(0, 8)];
  const exif = buildExif(preserved);
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (pngChunks.has(type)) parts.push(bytes.subarray(at, end));
    if (type === 'IHDR' && exif.length > 0) parts.push(buildPngChunk('eXIf', exif));
    at = end;
    if (type !== 'IEND') continue;
    parts.push(trailingBytes(bytes, end));
    break;
  }
  return Buffer.concat(parts);
}

function buildPngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

const webpChunks = new Set(['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);

function cleanWebp(bytes: Buffer, preserved: PreservedProperties): Buffer {
  const exif = buildExif(preserved);
  const parts: Buffer[] = [Buffer.from(bytes.subarray(0, 12))];
  const end = Math.min(bytes.length, bytes.readUInt32LE(4) + 8);
  let isExtended = false;
  for (let at = 12; at + 8 <= end; ) {
    const type = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const next = at + 8 + length + (length % 2);
    if (webpChunks.has(type)) {
      const chunk = Buffer.from(bytes.subarray(at, Math.min(next, end)));
      if (type === 'VP8X') {
        isExtended = true;
        chunk[8] = (chunk[8]! & ~0x0c) | (exif.length > 0 ? 0x08 : 0);
      }
      parts.push(chunk);
    }
    at = next;
  }
  if (isExtended && exif.length > 0) {
    const header = Buffer.from('EXIF\0\0\0\0', 'latin1');
    header.writeUInt32LE(exif.length, 4);
    parts.push(header, exif);
  }
  const clean = Buffer.concat(parts);
  clean.writeUInt32LE(clean.length - 8, 4);
  return Buffer.concat([clean, trailingBytes(bytes, end)]);
}

/** GIF extensions for animation and the colour profile. */
const gifApplications = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

function cleanGif(bytes: Buffer): Buffer {
  const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + tableBytes(bytes[10]!);
  const parts = [bytes.subarray(0, at)];
  while (at < bytes.length) {
    const start = at;
    const kind = bytes[at];
    if (kind === 0x2c) at += 11 + tableBytes(bytes[at + 9]!);
    else if (kind === 0x21) at += 2;
    else break;
    while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at]!;
    at++;
    const label = bytes[start + 1];
    const isComment = kind === 0x21 && label === 0xfe;
    const isOther =
      kind === 0x21 &&
      label === 0xff &&
      !gifApplications.has(bytes.toString('latin1', start + 3, start + 14));
    if (!isComment && !isOther) parts.push(bytes.subarray(start, at));
  }
  return Buffer.concat([...parts, Buffer.from([0x3b]), trailingBytes(bytes, at + 1)]);
}

interface Box {
  type: string;
  /** Start of the box's content. */
  start: number;
  end: number;
}

function readBoxes(bytes: Buffer, start: number, end: number): Box[] {
  const found: Box[] = [];
  for (let at = start; at + 8 <= end && found.length < 10_000; ) {
    let length = bytes.readUInt32BE(at);
    let header = 8;
    if (length === 1 && at + 16 <= end) {
      length = Number(bytes.readBigUInt64BE(at + 8));
      header = 16;
    }
    if (length === 0) length = end - at;
    if (length < header || at + length > end) break;
    found.push({ type: bytes.toString('latin1', at + 4, at + 8), start: at + header, end: at + length });
    at += length;
  }
  return found;
}

/** Overwrites the metadata of an AVIF. Its items are addressed by offsets, so no byte may move. */
function cleanAvif(original: Buffer, preserved: PreservedProperties): Buffer {
  const bytes = Buffer.from(original);
  const exif = buildExif(preserved);
  const erase = (start: number, end: number) =>
    bytes.fill(0, Math.min(start, bytes.length), Math.min(end, bytes.length));
  const cleanMeta = ({ start, end }: Box) => {
    const inner = readBoxes(bytes, start + 4, end);
    const info = inner.find(({ type }) => type === 'iinf');
    const locations = inner.find(({ type }) => type === 'iloc');
    const data = inner.find(({ type }) => type === 'idat');
    if (!info || !locations) return;
    const ids = listMetadataItems(bytes, info);
    for (const { from, to, isInData } of readExtents(bytes, locations, ids)) {
      const base = isInData ? (data?.start ?? 0) : 0;
      // Exif is preceded by four bytes that give its offset, and usually by its name.
      const hasName = bytes.subarray(base + from + 4, base + from + 10).equals(exifHeader);
      const isExif =
        hasName || /^(?:II\*|MM\0)/.test(bytes.toString('latin1', base + from + 4, base + from + 7));
      const at = base + from + (hasName ? 10 : 4);
      if (!isExif || exif.length === 0 || at + exif.length > base + to) erase(base + from, base + to);
      else {
        erase(at, base + to);
        exif.copy(bytes, at);
      }
    }
  };
  const walk = (boxes: Box[], depth: number): void => {
    for (const box of boxes) {
      if (box.type === 'meta') cleanMeta(box);
      else if (box.type === 'udta' || box.type === 'uuid') erase(box.start, box.end);
      else if ((box.type === 'moov' || box.type === 'trak') && depth < 4)
        walk(readBoxes(bytes, box.start, box.end), depth + 1);
    }
  };
  walk(readBoxes(bytes, 0, bytes.length), 0);
  return bytes;
}

/** Returns the ids of the items that hold Exif or XMP. */
function listMetadataItems(bytes: Buffer, { start, end }: Box): Set<number> {
  const isLong = bytes[start] !== 0;
  const ids = new Set<number>();
  for (const entry of readBoxes(bytes, start + (isLong ? 8 : 6), end)) {
    if (entry.type !== 'infe') continue;
    const version = bytes[entry.start]!;
    if (version < 2 || entry.end - entry.start < 12) continue;
    const idBytes = version === 2 ? 2 : 4;
    const id = bytes.readUIntBE(entry.start + 4, idBytes);
    const type = bytes.toString('latin1', entry.start + 6 + idBytes, entry.start + 10 + idBytes);
    if (type === 'Exif' || type === 'mime' || type === 'uri ') ids.add(id);
  }
  return ids;
}

/** Yields the byte ranges of items, in the file or in the box for item data. */
function* readExtents(bytes: Buffer, { start, end }: Box, ids: ReadonlySet<number>) {
  const version = bytes[start]!;
  const sizes = bytes.readUInt16BE(start + 4);
  const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexSize = version > 0 ? sizes & 15 : 0;
  let at = start + 6;
  const read = (size: number): number => {
    const value =
      size === 0 || at + size > end
        ? 0
        : size === 8
          ? Number(bytes.readBigUInt64BE(at))
          : bytes.readUIntBE(at, size);
    at += size;
    return value;
  };
  const items = read(version < 2 ? 2 : 4);
  for (let item = 0; item < items && at < end; item++) {
    const id = read(version < 2 ? 2 : 4);
    const method = version > 0 ? read(2) & 15 : 0;
    read(2);
    const base = read(baseSize);
    const extents = read(2);
    for (let extent = 0; extent < extents && at < end; extent++) {
      read(indexSize);
      const offset = read(offsetSize);
      const length = read(lengthSize);
      if (ids.has(id)) yield { from: base + offset, to: base + offset + length, isInData: method === 1 };
    }
  }
}

const cleaners: Readonly<Record<string, (bytes: Buffer, preserved: PreservedProperties) => Buffer>> = {
  'image/jpeg': cleanJpeg,
  'image/png': cleanPng,
  'image/webp': cleanWebp,
  'image/gif': cleanGif,
  'image/avif': cleanAvif,
  'image/svg+xml': cleanSvg,
};
