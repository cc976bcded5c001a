import type { Json } from '@waybill/page';

/** Reads a typed or pasted address; undefined if the text is a search instead. */
export function parseHref(typed: string): Json | undefined {
  const text = typed.trim();
  if (text === '' || /\s/.test(text.replace(/^tel:|^[+\d][\d ()./-]*$/i, ''))) return undefined;
  const anchor = /^#(?!wb-)([a-z][\w-]{0,63})$/i.exec(text);
  if (anchor) return { type: 'anchor', anchorId: anchor[1]! };
  const email = /^(?:mailto:)?([^\s@?&#%:/]+@[^\s@?&#%:/.]+(?:\.[^\s@?&#%:/.]+)+)$/i.exec(text);
  if (email) return { type: 'email', email: email[1]! };
  const tel = /^(?:tel:)?(\+?[0-9 ()./-]{5,30})$/i.exec(text);
  if (tel && /\d{3}/.test(text)) return { type: 'tel', tel: tel[1]!.trim() };
  if (/^(https?:\/\/|\/)/i.test(text)) return { type: 'url', url: text };
  if (/^[\w-]+(\.[\w-]+)*\.[a-z]{2,}([/?#:]\S*)?$/i.test(text))
    return { type: 'url', url: `https://${text}` };
  return undefined;
}

/** Returns the address of a link as it is typed; empty for a link to a thing of the store. */
export function formatLinkAddress(href: Json): string {
  if (typeof href === 'string') return href;
  const { url, email, tel, anchorId } = (href ?? {}) as Record<string, Json>;
  if (typeof anchorId === 'string') return `#${anchorId}`;
  return String(url ?? email ?? tel ?? '');
}
