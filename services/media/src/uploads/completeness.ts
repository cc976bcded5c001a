import type { FileHandle } from 'node:fs/promises';

/** `endless`: complete except for the end marker. */
type Completeness = boolean | 'endless';
type Check = (file: Bytes) => Promise<Completeness>;

const windowBytes = 64 * 1024;

/** Random access to a file of known size through a moving window. */
class Bytes {
  readonly size: number;
  readonly #handle: FileHandle;
  #window = Buffer.alloc(0);
  #from = 0;

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.size = size;
  }

  /** Returns `length` bytes from `at`; null when the file ends earlier. */
  async read(at: number, length: number): Promise<Buffer | null> {
    if (at < 0 || at + length > this.size) return null;
    if (at < this.#from || at + length > this.#from + this.#window.length) {
      const buffer = Buffer.allocUnsafe(Math.max(length, Math.min(windowBytes, this.size - at)));
      const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, at);
      this.#window = buffer.subarray(0, bytesRead);
      this.#from = at;
    }
    const start = at - this.#from;
    return start + length <= this.#window.length ? this.#window.subarray(start, start + length) : null;
  }

  /** Whether a byte sequence occurs from `at` on. */
  async includes(sequence: Buffer, at: number): Promise<boolean> {
    const step = windowBytes;
    for (let from = at; from < this.size; from += step - sequence.length + 1) {
      const chunk = await this.read(from, Math.min(step, this.size - from));
      if (chunk?.includes(sequence)) return true;
      if (from + step >= this.size) return false;
    }
    return false;
  }
}

/** Maximum number of parts that are read; a file with more is refused. */
const maxSteps = 1_000_000;

/**
 * Checks from its structure, without decoding, whether a file is complete. An upload that broke off, or a file that
 * only begins like one of its type, is not.
 */
export function checkCompleteness(
  handle: FileHandle,
  size: number,
  structure: keyof typeof checks,
): Promise<Completeness> {
  return checks[structure](new Bytes(handle, size));
}

/** Checks the chunks up to IEND. */
const png: Check = async (file) => {
  let at = 8;
  for (let step = 0; step < maxSteps; step++) {
    const head = await file.read(at, 8);
    if (!head) return false;
    at += 12 + head.readUInt32BE(0);
    if (head.toString('latin1', 4) === 'IEND') return at <= file.size;
  }
  return false;
};

/**
 * Checks the segments up to the first scan, and the end-of-image marker after it. Without the marker the decoder
 * decides.
 */
const jpeg: Check = async (file) => {
  let at = 2;
  for (let step = 0; step < maxSteps; step++) {
    const head = await file.read(at, 4);
    if (head?.[0] !== 0xff) return false;
    const marker = head[1]!;
    if (marker === 0xff) at += 1;
    else if (marker === 0xda) return (await file.includes(Buffer.from([0xff, 0xd9]), at + 4)) || 'endless';
    else at += 2 + head.readUInt16BE(2);
  }
  return false;
};

/** Checks the blocks up to the trailer, or to the end of the file after an image. */
const gif: Check = async (file) => {
  const screen = await file.read(0, 13);
  if (!screen) return false;
  const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + tableBytes(screen[10]!);
  let hasImage = false;
  for (let step = 0; step < maxSteps; step++) {
    const head = await file.read(at, 1);
    if (head?.[0] === 0x3b) return true;
    if (!head && hasImage) return at === file.size && 'endless';
    if (head?.[0] === 0x21) at += 2;
    else if (head?.[0] === 0x2c) {
      hasImage = true;
      const descriptor = await file.read(at, 10);
      if (!descriptor) return false;
      at += 11 + tableBytes(descriptor[9]!);
    } else return false;
    for (let length = 1; length > 0; step++) {
      const block = step < maxSteps && (await file.read(at, 1));
      if (!block) return false;
      length = block[0]!;
      at += 1 + length;
    }
  }
  return false;
};

/** Checks the length that RIFF states. */
const webp: Check = async (file) => {
  const head = await file.read(0, 12);
  return head !== null && head.readUInt32LE(4) + 8 <= file.size;
};

/**
 * Checks the boxes to the end of the file (MP4, MOV), or to the first bytes that name no box, which are ignored. Only a
 * box that promises more than the file has marks it as cut off; whether the film can be played is not checked.
 */
const boxes: Check = async (file) => (await listBoxes(file)) !== null;

/** Checks that an AVIF has the box that describes its contents: a picture or a moving one. */
const avif: Check = async (file) => {
  const boxes = await listBoxes(file);
  return boxes !== null && (boxes.has('meta') || boxes.has('moov'));
};

/** Returns the types of the boxes; null when one of them is cut off. */
async function listBoxes(file: Bytes): Promise<Set<string> | null> {
  const seen = new Set<string>();
  let at = 0;
  for (let step = 0; at < file.size; step++) {
    const head = step < maxSteps && (await file.read(at, 8));
    if (!head) return null;
    const type = head.toString('latin1', 4);
    if (!/^[ -~\xa9]{4}$/.test(type)) break;
    let length = head.readUInt32BE(0);
    if (length === 1) {
      const large = await file.read(at + 8, 8);
      if (!large) return null;
      length = Number(large.readBigUInt64BE(0));
    }
    // The last box may leave its length open.
    if (length === 0) length = file.size - at;
    if (length < 8 || at + length > file.size) return null;
    seen.add(type);
    at += length;
  }
  return seen;
}

/** Checks for an EBML header and, if one follows, a segment. A recorder leaves the length of the segment open. */
const webm: Check = async (file) => {
  const header = await readElement(file, 0);
  if (!header || header.length === null) return false;
  const end = header.body + header.length;
  const next = await file.read(end, 4);
  if (!next) return end === file.size;
  if (next.readUInt32BE(0) !== 0x18538067) return true;
  const segment = await readElement(file, end);
  if (!segment) return false;
  return segment.length === null ? file.size > segment.body : segment.body + segment.length <= file.size;
};

async function readElement(file: Bytes, at: number) {
  const bytes = await file.read(at, Math.min(12, file.size - at));
  const idBytes = Math.clz32(bytes?.[0] ?? 0) - 23;
  if (!bytes || idBytes > 4 || bytes.length <= idBytes) return null;
  const lengthBytes = Math.clz32(bytes[idBytes]!) - 23;
  if (lengthBytes > 8 || bytes.length < idBytes + lengthBytes) return null;
  const unknown = 2 ** (7 * lengthBytes) - 1;
  let length = bytes[idBytes]! & (0xff >> lengthBytes);
  for (let i = 1; i < lengthBytes; i++) length = length * 256 + bytes[idBytes + i]!;
  return {
    length: length === unknown ? null : length,
    body: at + idBytes + lengthBytes,
  };
}

/** Checks the length that WOFF and WOFF2 state. */
const woff: Check = async (file) => {
  const header = await file.read(0, 12);
  return header !== null && header.readUInt32BE(8) <= file.size;
};

/** Checks that each table in the directory (TTF, OTF) is in the file. */
const sfnt: Check = async (file) => {
  const tables = (await file.read(4, 2))?.readUInt16BE(0) ?? 0;
  const directory = await file.read(12, tables * 16);
  if (!directory) return false;
  return Array.from({ length: tables }, (_, i) => i * 16).every(
    (at) => directory.readUInt32BE(at + 8) + directory.readUInt32BE(at + 12) <= file.size,
  );
};

const checks = { png, jpeg, gif, webp, boxes, avif, webm, woff, sfnt };
