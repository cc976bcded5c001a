/** Maximum length of a parameter; busboy accepts no longer header. */
const maxLength = 8192;

/**
 * Returns the file name in the extended parameter of a `Content-Disposition` (RFC 6266, 4.3; RFC 2231), which takes
 * precedence over the plain one. Undefined when there is none that can be read.
 */
export function parseExtendedFileName(header: string): string | undefined {
  const parts = new Map<number, { text: string; isEncoded: boolean }>();
  for (const parameter of parseParameters(header.slice(0, maxLength))) {
    const [, index, isEncoded] = /^filename\*(?:(\d{1,2})(\*)?)?$/i.exec(parameter.name) ?? [];
    if (!/^filename\*/i.test(parameter.name)) continue;
    if (index === undefined) return decodeExtended(parameter.value);
    parts.set(Number(index), { text: parameter.value, isEncoded: isEncoded !== undefined });
  }
  if (!parts.has(0)) return undefined;
  const [, charset = 'utf-8', , first = ''] = /^([^']{0,40})'([^']{0,40})'(.*)$/s.exec(
    parts.get(0)!.text,
  ) ?? ['', 'utf-8', '', parts.get(0)!.text];
  let encoded = '';
  for (let i = 0; parts.has(i); i++) {
    const { text, isEncoded } = parts.get(i)!;
    const value = i === 0 && isEncoded ? first : text;
    encoded += isEncoded ? value : value.replaceAll('%', '%25');
  }
  return decodePercent(encoded, charset);
}

/** Decodes `charset'language'text`, whose text is percent-encoded. */
function decodeExtended(value: string): string | undefined {
  const [, charset, text] = /^([^']{1,40})'[^']{0,40}'(.*)$/s.exec(value) ?? [];
  return text === undefined ? undefined : decodePercent(text, charset!);
}

function decodePercent(text: string, charset: string): string | undefined {
  const bytes = Buffer.from(
    text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  return decodeBytes(bytes, charset);
}

function decodeBytes(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Yields the parameters of a header, with quoted strings unescaped. */
function* parseParameters(header: string): Generator<{ name: string; value: string }> {
  const pattern = /;\s{0,20}([^\s=;"]{1,100})\s{0,20}=\s{0,20}(?:"((?:[^"\\]|\\.)*)"|([^;]*))/gs;
  for (const [, name = '', quoted, plain = ''] of header.matchAll(pattern))
    yield { name, value: quoted === undefined ? plain.trim() : quoted.replace(/\\(.)/gs, '$1') };
}

/** Decodes the encoded words (RFC 2047) that mail programs write into file names. */
export function decodeEncodedWords(text: string): string {
  if (!text.includes('=?')) return text;
  return text
    .replace(/(\?=)\s{1,20}(?==\?)/g, '$1')
    .replace(
      /=\?([\w.-]{1,40})(?:\*[\w-]{1,40})?\?([bq])\?([^?\s]{0,1000})\?=/gi,
      (word, charset: string, encoding: string, content: string) => {
        const bytes =
          encoding.toLowerCase() === 'b'
            ? Buffer.from(content, 'base64')
            : Buffer.from(
                content
                  .replaceAll('_', ' ')
                  .replace(/=([\da-f]{2})/gi, (_, hex: string) =>
                    String.fromCharCode(Number.parseInt(hex, 16)),
                  ),
                'latin1',
              );
        return decodeBytes(bytes, charset) ?? word;
      },
    );
}
