/** Beginnings of files whose encoding a declaration cannot tell, because it is written in that encoding itself. */
const signatures: readonly { bytes: readonly number[]; encoding: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe, 0, 0], encoding: 'UTF-32' },
  { bytes: [0, 0, 0xfe, 0xff], encoding: 'UTF-32' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
  // `<` without a byte order mark.
  { bytes: [0x3c, 0], encoding: 'utf-16le' },
  { bytes: [0, 0x3c], encoding: 'utf-16be' },
];

/** A longer declaration names no encoding here. */
const maxDeclaration = 500;
const declaration = /^(<\?xml\s[^>?]*?\bencoding\s*=\s*)(["'])([A-Za-z][\w.:-]*)\2/;

/** The reason why a text cannot be decoded, in words that follow `The file`. */
export class EncodingProblem extends Error {}

const findSignature = (bytes: Buffer) =>
  signatures.find((signature) => signature.bytes.every((byte, i) => bytes[i] === byte));

/**
 * Returns the encoding that XML declares in letters of one byte. UTF-16 would have been recognised by its first bytes, so
 * where the declaration names it, it means UTF-8, as for browsers: programs write it before they convert the text.
 */
function readDeclaredEncoding(bytes: Buffer): string {
  const label = declaration.exec(bytes.toString('latin1', 0, maxDeclaration))?.[3] ?? 'utf-8';
  return /^(?:utf-16|ucs-2|unicode)/i.test(label) ? 'utf-8' : label;
}

/** Whether a file begins as text in UTF-16, which no other kind of file does that is accepted. */
export const isUtf16 = (bytes: Buffer): boolean =>
  findSignature(bytes)?.encoding.startsWith('utf-16') ?? false;

/**
 * Decodes XML by its byte order mark, else by the encoding that it declares, else as UTF-8. The text declares UTF-8, in
 * which it is stored, so that a browser reads the text that was checked.
 * @throws EncodingProblem
 */
export function decodeXml(bytes: Buffer): string {
  const text = decode(bytes, findSignature(bytes)?.encoding ?? readDeclaredEncoding(bytes));
  const start = text.slice(0, maxDeclaration);
  const declared = declaration.exec(start)?.[3];
  if (declared === undefined || declared.toLowerCase() === 'utf-8') return text;
  return start.replace(declaration, '$1"UTF-8"') + text.slice(maxDeclaration);
}

function decode(bytes: Buffer, encoding: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    const isUnknown = (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_NOT_SUPPORTED';
    throw new EncodingProblem(
      isUnknown
        ? `is in the encoding ${encoding}, which is not supported; save it in UTF-8`
        : `is not text in ${encoding.toUpperCase()}`,
    );
  }
}

/** Returns XML in UTF-8: the bytes themselves if they are. @throws EncodingProblem */
export function toUtf8(bytes: Buffer): Buffer {
  const utf8 = Buffer.from(decodeXml(bytes));
  const withoutMark = findSignature(bytes)?.encoding === 'utf-8' ? bytes.subarray(3) : bytes;
  return utf8.equals(withoutMark) ? bytes : utf8;
}
