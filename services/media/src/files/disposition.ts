/**
 * A Content-Disposition (RFC 6266) with the name of an asset, whatever it holds: an ASCII form for old clients, and
 * all of it in UTF-8 (RFC 8187). Nothing of a name gets into the header as it is.
 */
export function disposition(how: 'inline' | 'attachment', name: string): string {
  const ascii = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]|["\\%;/]/gu, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${how}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
