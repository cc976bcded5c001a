import { deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** A small, complete file of each accepted type, generated here and recognizable by its bytes. */
export interface Sample {
  kind: 'image' | 'video' | 'font';
  contentType: string;
  bytes: Buffer;
  /** The size in pixels, for images. */
  size: [width: number, height: number] | null;
}

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 80, b: 20 } } });

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

export const box = (type: string, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  return Buffer.concat([uint32(8 + body.length), Buffer.from(type, 'latin1'), body]);
};

const isoFile = (brand: string) =>
  Buffer.concat([
    box('ftyp', Buffer.from(brand.padEnd(4)), uint32(0), Buffer.from(brand.padEnd(4))),
    box('moov', box('mvhd', Buffer.alloc(100))),
    box('mdat', Buffer.alloc(500, 7)),
  ]);

const ebml = (id: number[], body: Buffer) =>
  Buffer.concat([Buffer.from([...id, 0x40 | (body.length >> 8), body.length & 0xff]), body]);

const webm = Buffer.concat([
  ebml([0x1a, 0x45, 0xdf, 0xa3], ebml([0x42, 0x82], Buffer.from('webm'))),
  ebml([0x18, 0x53, 0x80, 0x67], Buffer.alloc(300, 1)),
]);

function woff(signature: string): Buffer {
  const bytes = Buffer.alloc(200, 3);
  bytes.write(signature, 'latin1');
  bytes.writeUInt32BE(0x00010000, 4);
  bytes.writeUInt32BE(bytes.length, 8);
  return bytes;
}

function sfnt(signature: number[]): Buffer {
  const bytes = Buffer.alloc(300);
  Buffer.from([...signature, 0, 1]).copy(bytes);
  bytes.write('glyf', 12, 'latin1');
  bytes.writeUInt32BE(100, 12 + 8);
  bytes.writeUInt32BE(200, 12 + 12);
  return bytes;
}

export const svg = (
  inside = '<rect width="10" height="10"/>',
  attributes = 'width="40" height="30"',
): Buffer => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`);

const image = (type: string, bytes: Buffer, size: [number, number]): Sample => ({
  kind: 'image',
  contentType: `image/${type}`,
  bytes,
  size,
});

export const samples: Readonly<Record<string, Sample>> = {
  png: image('png', await picture(40, 30).png().toBuffer(), [40, 30]),
  jpeg: image('jpeg', await picture(40, 30).jpeg().toBuffer(), [40, 30]),
  gif: image('gif', await picture(40, 30).gif().toBuffer(), [40, 30]),
  webp: image('webp', await picture(40, 30).webp().toBuffer(), [40, 30]),
  avif: image('avif', await picture(40, 30).avif({ effort: 0 }).toBuffer(), [40, 30]),
  svg: image('svg+xml', svg(), [40, 30]),
  mp4: { kind: 'video', contentType: 'video/mp4', bytes: isoFile('isom'), size: null },
  mov: { kind: 'video', contentType: 'video/quicktime', bytes: isoFile('qt'), size: null },
  webm: { kind: 'video', contentType: 'video/webm', bytes: webm, size: null },
  woff: { kind: 'font', contentType: 'font/woff', bytes: woff('wOFF'), size: null },
  woff2: { kind: 'font', contentType: 'font/woff2', bytes: woff('wOF2'), size: null },
  ttf: { kind: 'font', contentType: 'font/ttf', bytes: sfnt([0, 1, 0, 0]), size: null },
  otf: { kind: 'font', contentType: 'font/otf', bytes: sfnt([0x4f, 0x54, 0x54, 0x4f]), size: null },
};

/** Generates a photograph-like JPEG of noise, so that it has many bytes. */
export const photo = (width: number, height: number): Promise<Buffer> =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: 'gray',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .jpeg()
    .toBuffer();

const crcTable = Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

const crc = (bytes: Buffer) => {
  let c = 0xffffffff;
  for (const byte of bytes) c = crcTable[(c ^ byte) & 0xff]! ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
};

const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc(body))]);
};

/** Generates a PNG whose header claims these pixels, whatever it contains. */
export function createPng(
  width: number,
  height: number,
  pixels: Buffer = deflateSync(Buffer.alloc(1000)),
): Buffer {
  const header = Buffer.concat([uint32(width), uint32(height), Buffer.from([1, 0, 0, 0, 0])]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
