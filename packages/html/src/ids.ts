type Attributes = Record<string, string>;

/** Prefix of every id in a text, so that none collides with an id elsewhere on its page. */
export const idPrefix = 'h-';
const maxLength = 100;

/** Returns an id in the form that may be written; undefined if nothing is left. */
function writtenId(id: string): string | undefined {
  const plain = id
    .slice(0, maxLength)
    .replace(/[^\p{L}\p{N}_.:-]+/gu, '-')
    .replace(/^-|-$/g, '');
  if (plain === '' || plain === 'h') return undefined;
  return plain.startsWith(idPrefix) ? plain : idPrefix + plain;
}

/** Returns the id in this text that a link leads to; undefined if it leads elsewhere. */
function placeOf(href: string | undefined): string | undefined {
  const trimmed = href?.trim();
  if (!trimmed?.startsWith('#') || trimmed.length < 2) return undefined;
  try {
    return decodeURIComponent(trimmed.slice(1));
  } catch {
    return trimmed.slice(1);
  }
}

const idIn = (name: string, { id, name: anchor }: Attributes): string | undefined =>
  id || (name === 'a' ? anchor : undefined) || undefined;

/** Collects the ids of a text: those of anchors, and those of any other element that its own links lead to. */
export function createIds(isAnchor: (name: string) => boolean) {
  const linked = new Set<string>();
  const found: { name: string; id: string }[] = [];
  return {
    note(name: string, attributes: Attributes): void {
      const id = idIn(name, attributes);
      if (id !== undefined) found.push({ name, id });
      const place = name === 'a' ? placeOf(attributes.href) : undefined;
      if (place !== undefined) linked.add(place);
    },

    /** Call this when all are noted; the elements are then rewritten in the same order. */
    settle() {
      const taken = new Set<string>();
      const counts = new Map<string, number>();
      const firstOf = new Map<string, string>();
      const written = found.map(({ name, id }) => {
        const base = isAnchor(name) || linked.has(id) ? writtenId(id) : undefined;
        if (base === undefined) return undefined;
        let own = base;
        for (let n = counts.get(base) ?? 1; taken.has(own); counts.set(base, n)) own = `${base}-${++n}`;
        taken.add(own);
        if (!firstOf.has(id)) firstOf.set(id, own);
        return own;
      });
      let next = 0;
      return {
        rewrite(name: string, { id, ...attributes }: Attributes): Attributes {
          const noted = idIn(name, { ...attributes, ...(id !== undefined && { id }) });
          const own = noted === undefined ? undefined : written[next++];
          const place = name === 'a' ? placeOf(attributes.href) : undefined;
          const target = place === undefined ? undefined : firstOf.get(place);
          if (target !== undefined) attributes.href = `#${target}`;
          if (name === 'a') delete attributes.name;
          return own === undefined ? attributes : { id: own, ...attributes };
        },
      };
    },
  };
}
