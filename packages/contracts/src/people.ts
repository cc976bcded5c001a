import Type from 'typebox';

/** Of an e-mail address; with the flag `u`. */
export const emailPattern = '^[^\\s@\\p{C}]+@[^\\s@.\\p{C}]+(\\.[^\\s@.\\p{C}]+)+$';

/** An e-mail address as people write them; whether mail arrives there is not known. */
export const Email = Type.String({
  maxLength: 254,
  pattern: emailPattern,
  examples: ['ann@example.com'],
});

/** A name as it sorts: lower-case, without marks; compared byte by byte it is in the same order on every server. */
export function sortKey(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}
