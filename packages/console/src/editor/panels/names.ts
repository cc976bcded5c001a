import type { Json, PageNode } from '@waybill/page';
import { queries } from '../../api/queries.ts';
import type { EditorWords } from '../../texts/en/editor.ts';
import { blockId, blocksQuery, type Names, namesOf, sectionNamesQuery } from '../screen/queries.ts';
import type { Workbench } from '../screen/workbench.ts';

/** What an element, a value or a setting is called: in words, or of its own name where there are none yet. */
export const wordFor = (words: Readonly<Record<string, string>>, key: string): string =>
  (Object.hasOwn(words, key) ? words[key] : undefined) ?? spelled(key);

/** `borderTopWidth` as "Border top width". */
function spelled(key: string): string {
  const text = key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('-', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a node is called: by its own label, else by its element's, its block's or its section's. */
export function kindOf({ type, label, props }: PageNode, words: EditorWords, names: Names): string {
  if (label) return label;
  const { appId, blockKey, sectionId } = props?.specials ?? {};
  if (type === 'blockRef') return names.blocks.get(blockId(appId, blockKey))?.name ?? words.unknownBlock;
  if (type === 'sectionRef') return names.sections.get(String(sectionId))?.name ?? words.unknownSection;
  return wordFor(words.elements, type);
}

/** The icon that an app names for its block. */
export function blockIconOf({ type, props }: PageNode, names: Names): string | undefined {
  const { appId, blockKey } = props?.specials ?? {};
  return type === 'blockRef' ? (names.blocks.get(blockId(appId, blockKey))?.icon ?? undefined) : undefined;
}

/** How the text of a node begins; empty where it has none. */
export function beginningOf({ type, props }: PageNode): string {
  if (type === 'blockRef' || type === 'sectionRef') return '';
  const { text, label, alt, title, items, doc, anchorId } = props?.specials ?? {};
  const found = [text, label, alt, title, firstText(items ?? null), firstText(doc ?? null), anchorId].find(
    (value) => typeof value === 'string' && value.trim() !== '',
  );
  const line = String(found ?? '')
    .trim()
    .replaceAll(/\s+/g, ' ');
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}

function firstText(value: Json): string | undefined {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value : undefined;
  if (!Array.isArray(value)) {
    const { text, content, alt } = value as Record<string, Json>;
    if (typeof text === 'string' && text !== '') return text;
    if (Array.isArray(content)) return firstText(content);
    return typeof alt === 'string' ? alt : undefined;
  }
  for (const inner of value) {
    const found = firstText(inner);
    if (found !== undefined && found !== '') return found;
  }
  return undefined;
}

/** What a node is and how its text begins, for those who hear it or read it in a list. */
export function titleOf(node: PageNode, words: EditorWords, names: Names): string {
  const beginning = node.label ? '' : beginningOf(node);
  const kind = kindOf(node, words, names);
  return beginning === '' ? kind : `${kind}: ${beginning}`;
}

/** The app whose block has a problem inside, where the merchant can change nothing; undefined: it is another problem. */
export function appAtFault(node: PageNode | undefined, pointer: string, names: Names): string | undefined {
  if (node?.type !== 'blockRef' || pointer !== '') return undefined;
  const { appId, blockKey } = node.props?.specials ?? {};
  return names.blocks.get(blockId(appId, blockKey))?.appName;
}

/** The same for a node of the open document, of what has been read by now. */
export function nameOf({ editor, words, storeId }: Workbench, id: string): string {
  const node = editor.state.tree.nodes.get(id);
  if (!node) return '';
  const names = namesOf(
    queries.getQueryData(blocksQuery(storeId).queryKey),
    queries.getQueryData(sectionNamesQuery(storeId).queryKey),
  );
  return kindOf(node, words, names);
}
