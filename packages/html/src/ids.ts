type Attributes = Record<string, string>;

/** Prefix of every id in a text, so that none collides with an id elsewhere on its page. */
export const idPrefix = 'h-';
const maxLength = 100;

/** Returns an id in the form that may be written; undefined if nothing is left. */
function toWrittenId(id: string): string | undefined {
  const cleaned = id
    .slice(0, maxLength)
    .replace(/[^\p{L}\p{N}_.:-]+/gu, '-')
    .replace(/^-|-$/g, '');
  if (cleaned === '' || cleaned === 'h') return undefined;
  return cleaned.startsWith(idPrefix) ? cleaned : idPrefix + cleaned;
}

/** Returns the id in this text that a link leads to; undefined if it leads elsewhere. */
function readFragment(href: string | undefined): string | undefined {
  const trimmed = href?.trim();
  if (!trimmed?.startsWith('#') || trimmed.length < 2) return undefined;
  try {
    return decodeURIComponent(trimmed.slice(1));
  } catch {
    return trimmed.slice(1);
  }
}

const readId = (name: string, { id, name: anchor }: Attributes): string | undefined =>
  id || (name === 'a' ? anchor : undefined) || undefined;

/** Collects the ids of a text: those of anchors, and those of any other element that its own links lead to. */
export function createIds(isAnchor: (name: string) => boolean) {
  const linkedIds = new Set<string>();
  const found: { name: string; id: string }[] = [];
  return {
    record(name: string, attributes: Attributes): void {
      const id = readId(name, attributes);
      if (id !== undefined) found.push({ name, id });
      const fragment = name === 'a' ? readFragment(attributes.href) : undefined;
      if (fragment !== undefined) linkedIds.add(fragment);
    },

    /** Call this when all are noted; the elements are then rewritten in the same order. */
    createRewriter() {
      const usedIds = new Set<string>();
      const counts = new Map<string, number>();
      const writtenByName = new Map<string, string>();
      const writtenIds = found.map(({ name, id }) => {
        const base = isAnchor(name) || linkedIds.has(id) ? toWrittenId(id) : undefined;
        if (base === undefined) return undefined;
        let uniqueId = base;
        for (let n = counts.get(base) ?? 1; usedIds.has(uniqueId); counts.set(base, n))
          uniqueId = `${base}-${++n}`;
        usedIds.add(uniqueId);
        if (!writtenByName.has(id)) writtenByName.set(id, uniqueId);
        return uniqueId;
      });
      let next = 0;
      return {
        rewrite(name: string, { id, ...attributes }: Attributes): Attributes {
          const originalId = readId(name, { ...attributes, ...(id !== undefined && { id }) });
          const uniqueId = originalId === undefined ? undefined : writtenIds[next++];
          const fragment = name === 'a' ? readFragment(attributes.href) : undefined;
          const target = fragment === undefined ? undefined : writtenByName.get(fragment);
          if (target !== undefined) attributes.href = `#${target}`;
          if (name === 'a') delete attributes.name;
          return uniqueId === undefined ? attributes : { id: uniqueId, ...attributes };
        },
      };
    },
  };
}
