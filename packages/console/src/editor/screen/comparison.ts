import type { Json, PageDocument, PageNode } from '@waybill/page';

/** The differences between two states of a document, in terms that people use. */
export interface Comparison {
  readonly texts: readonly { readonly node: PageNode; readonly before: string; readonly after: string }[];
  readonly added: readonly PageNode[];
  readonly removed: readonly PageNode[];
  /** Nodes with changes other than text: look, links, pictures, a block's settings. */
  readonly changed: readonly PageNode[];
  /** Number of nodes whose children, of those in both states, were reordered or moved in or out. */
  readonly moved: number;
}

const textFields = ['text', 'label', 'alt', 'caption', 'title', 'placeholder', 'fromText', 'soldOutText'];

export function compare(before: PageDocument, after: PageDocument): Comparison {
  const old = new Map(before.nodes.map((node) => [node.id, node]));
  const now = new Map(after.nodes.map((node) => [node.id, node]));
  const texts: Comparison['texts'][number][] = [];
  const changed: PageNode[] = [];
  let moved = 0;
  for (const node of after.nodes) {
    const was = old.get(node.id);
    if (!was) continue;
    for (const field of textFields) {
      const [one, other] = [was, node].map(({ props }) => String(props?.specials?.[field] ?? ''));
      if (one !== other) texts.push({ node, before: one!, after: other! });
    }
    if (withoutTexts(was) !== withoutTexts(node)) changed.push(node);
    const kept = (ids: readonly string[] | null | undefined, other: ReadonlyMap<string, unknown>) =>
      (ids ?? []).filter((id) => other.has(id)).join(' ');
    if (kept(was.children, now) !== kept(node.children, old)) moved++;
  }
  return {
    texts,
    changed,
    moved,
    added: after.nodes.filter(({ id }) => !old.has(id)),
    removed: before.nodes.filter(({ id }) => !now.has(id)),
  };
}

export const isSame = ({ texts, added, removed, changed, moved }: Comparison): boolean =>
  texts.length + added.length + removed.length + changed.length + moved === 0;

function withoutTexts({ type, props }: PageNode): string {
  const specials = Object.entries(props?.specials ?? {}).filter(([key]) => !textFields.includes(key));
  return sorted({ type, ...props, specials: Object.fromEntries(specials) } as unknown as Json);
}

/** Serialises JSON independently of the order of keys. */
function sorted(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  const entries = Object.entries(value).filter(([, own]) => own !== undefined && !isEmpty(own));
  return `{${entries
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, own]) => `${JSON.stringify(key)}:${sorted(own)}`)
    .join(',')}}`;
}

const isEmpty = (value: Json) =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
