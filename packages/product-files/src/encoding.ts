/** Encodings of a file without a byte order mark: the code pages of Windows, by their WHATWG names. */
export const codePages = [
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'shift_jis',
  'gbk',
  'euc-kr',
  'big5',
] as const;
export type CodePage = (typeof codePages)[number];
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | CodePage;

/** The Windows code page for each encoding that the detector may report. */
const pages: Readonly<Record<string, CodePage>> = {
  'ISO-8859-1': 'windows-1252',
  'ISO-8859-2': 'windows-1250',
  'ISO-8859-5': 'windows-1251',
  'KOI8-R': 'windows-1251',
  'ISO-8859-6': 'windows-1256',
  'ISO-8859-7': 'windows-1253',
  'ISO-8859-8': 'windows-1255',
  'ISO-8859-9': 'windows-1254',
  Shift_JIS: 'shift_jis',
  GB18030: 'gbk',
  'EUC-KR': 'euc-kr',
  Big5: 'big5',
  ...Object.fromEntries(codePages.map((page) => [page, page])),
};

/** A file's text, and how certain that reading is. */
export interface DecodedFile {
  text: string;
  encoding: Encoding;
  /** Nothing in the file tells its encoding, so a person has to confirm it. */
  isGuessed: boolean;
  /** Some bytes are invalid in that encoding; they are U+FFFD in the text. */
  isDamaged: boolean;
}

/** Decodes a file's bytes in the confirmed encoding, else in the detected one. */
export async function decodeFile(bytes: Uint8Array, confirmed?: Encoding): Promise<DecodedFile> {
  const found = confirmed
    ? { encoding: confirmed, isGuessed: false }
    : (detectCertainEncoding(bytes) ?? { encoding: await guessEncoding(bytes), isGuessed: true });
  const text = new TextDecoder(found.encoding).decode(bytes);
  return { ...found, text, isDamaged: text.includes('\uFFFD') && !isValid(bytes, found.encoding) };
}

/** Decodes a file that is not a table, such as JSON lines; a text that is not Unicode counts as Western European. */
export const decode = (bytes: Uint8Array): string =>
  new TextDecoder(detectCertainEncoding(bytes)?.encoding ?? 'windows-1252').decode(bytes);

/** Returns the encoding that the file itself reveals; null if it does not. */
function detectCertainEncoding(bytes: Uint8Array): { encoding: Encoding; isGuessed: boolean } | null {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le', isGuessed: false };
  if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be', isGuessed: false };
  if (first === 0xef && second === 0xbb && third === 0xbf) return { encoding: 'utf-8', isGuessed: false };
  const wide = detectUtf16(bytes);
  if (wide) return { encoding: wide, isGuessed: true };
  return isValid(bytes, 'utf-8') ? { encoding: 'utf-8', isGuessed: false } : null;
}

async function guessEncoding(bytes: Uint8Array): Promise<Encoding> {
  // The detector is large and few files need it.
  const { analyse } = await import('chardet');
  return analyse(bytes).flatMap(({ name }) => pages[name] ?? [])[0] ?? 'windows-1252';
}

function isValid(bytes: Uint8Array, encoding: Encoding): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Detects UTF-16 without a byte order mark: every other byte of its separators, line ends and Latin letters is 0. */
function detectUtf16(bytes: Uint8Array): Encoding | null {
  const sample = bytes.subarray(0, 4096);
  const zeros = [0, 0];
  for (let at = 0; at < sample.length; at++) if (sample[at] === 0) zeros[at % 2]!++;
  const few = sample.length / 20;
  if (zeros[1]! > few && zeros[0] === 0) return 'utf-16le';
  return zeros[0]! > few && zeros[1] === 0 ? 'utf-16be' : null;
}
