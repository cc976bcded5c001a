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

export function compareDocuments(before: PageDocument, after: PageDocument): Comparison {
  const oldNodes = new Map(before.nodes.map((node) => [node.id, node]));
  const newNodes = new Map(after.nodes.map((node) => [node.id, node]));
  const texts: Comparison['texts'][number][] = [];
  const changed: PageNode[] = [];
  let moved = 0;
  for (const node of after.nodes) {
    const oldNode = oldNodes.get(node.id);
    if (!oldNode) continue;
    for (const field of textFields) {
      const [oldText, newText] = [oldNode, node].map(({ props }) => String(props?.specials?.[field] ?? ''));
      if (oldText !== newText) texts.push({ node, before: oldText!, after: newText! });
    }
    if (serializeWithoutTexts(oldNode) !== serializeWithoutTexts(node)) changed.push(node);
    const commonIds = (ids: readonly string[] | null | undefined, other: ReadonlyMap<string, unknown>) =>
      (ids ?? []).filter((id) => other.has(id)).join(' ');
    if (commonIds(oldNode.children, newNodes) !== commonIds(node.children, oldNodes)) moved++;
  }
  return {
    texts,
    changed,
    moved,
    added: after.nodes.filter(({ id }) => !oldNodes.has(id)),
    removed: before.nodes.filter(({ id }) => !newNodes.has(id)),
  };
}

export const hasNoChanges = ({ texts, added, removed, changed, moved }: Comparison): boolean =>
  texts.length + added.length + removed.length + changed.length + moved === 0;

function serializeWithoutTexts({ type, props }: PageNode): string {
  const specials = Object.entries(props?.specials ?? {}).filter(([key]) => !textFields.includes(key));
  return toSortedJson({ type, ...props, specials: Object.fromEntries(specials) } as unknown as Json);
}

/** Serialises JSON independently of the order of keys. */
function toSortedJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toSortedJson).join(',')}]`;
  const entries = Object.entries(value).filter(([, own]) => own !== undefined && !isEmpty(own));
  return `{${entries
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, own]) => `${JSON.stringify(key)}:${toSortedJson(own)}`)
    .join(',')}}`;
}

const isEmpty = (value: Json) =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
