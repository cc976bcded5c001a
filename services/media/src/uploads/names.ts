import { hasVisibleCharacter } from '@waybill/contracts';

const maxLength = 200;

/**
 * The name of an asset from the name that the client's file has: without folders and control characters, at most
 * 200 characters, the ending kept; never empty.
 */
export function nameOfFile(fileName: string, fallback: string): string {
  const plain = fileName
    .toWellFormed()
    // Browsers and curl write a quote or a line's end in a form so, and nothing else.
    .replaceAll('%22', '"')
    .replace(/%0[ad]/gi, '')
    .replace(/^.*[\\/]/s, '')
    // Control characters, and those that turn the direction of text around.
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  const characters = [...(plain === '.' || plain === '..' || !hasVisibleCharacter(plain) ? '' : plain)];
  if (characters.length === 0) return fallback;
  if (characters.length <= maxLength) return characters.join('');
  const dot = characters.lastIndexOf('.');
  const ending = dot > 0 && characters.length - dot <= 10 ? characters.slice(dot) : [];
  return [...characters.slice(0, maxLength - ending.length), ...ending].join('');
}
