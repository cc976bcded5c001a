import { hasVisibleCharacter } from '@waybill/contracts';

const maxLength = 200;

/**
 * Derives the name of an asset from a client's file name: without folders and control characters, at most 200
 * characters with the extension kept, never empty.
 */
export function toAssetName(fileName: string, fallback: string): string {
  const cleaned = fileName
    .toWellFormed()
    // In forms, browsers and curl escape only quotes and line ends.
    .replaceAll('%22', '"')
    .replace(/%0[ad]/gi, '')
    .replace(/^.*[\\/]/s, '')
    // Removes control characters, and those that change the direction of text.
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  const characters = [
    ...(cleaned === '.' || cleaned === '..' || !hasVisibleCharacter(cleaned) ? '' : cleaned),
  ];
  if (characters.length === 0) return fallback;
  if (characters.length <= maxLength) return characters.join('');
  const dot = characters.lastIndexOf('.');
  const extension = dot > 0 && characters.length - dot <= 10 ? characters.slice(dot) : [];
  return [...characters.slice(0, maxLength - extension.length), ...extension].join('');
}
