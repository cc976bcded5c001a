import type { Json, PageNode } from '@waybill/page';
import { queries } from '../../api/queries.ts';
import type { EditorWords } from '../../texts/en/editor.ts';
import {
  blockNameKey,
  blocksQuery,
  createNames,
  type Names,
  sectionNamesQuery,
} from '../workbench/queries.ts';
import type { Workbench } from '../workbench/workbench.ts';

/** Returns the name of an element, a value or a setting: from the texts, else derived from its key. */
export const lookUpWord = (words: Readonly<Record<string, string>>, key: string): string =>
  (Object.hasOwn(words, key) ? words[key] : undefined) ?? humanize(key);

/** Spells out a key: `borderTopWidth` as "Border top width". */
function humanize(key: string): string {
  const text = key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('-', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the name of a node: its own label, else that of its element, block or section. */
export function describeKind({ type, label, props }: PageNode, words: EditorWords, names: Names): string {
  if (label) return label;
  const { appId, blockKey, sectionId } = props?.specials ?? {};
  if (type === 'blockRef') return names.blocks.get(blockNameKey(appId, blockKey))?.name ?? words.unknownBlock;
  if (type === 'sectionRef') return names.sections.get(String(sectionId))?.name ?? words.unknownSection;
  return lookUpWord(words.elements, type);
}

/** Returns the icon that an app names for its block. */
export function findBlockIcon({ type, props }: PageNode, names: Names): string | undefined {
  const { appId, blockKey } = props?.specials ?? {};
  return type === 'blockRef'
    ? (names.blocks.get(blockNameKey(appId, blockKey))?.icon ?? undefined)
    : undefined;
}

/** Returns the beginning of a node's text; empty if it has none. */
export function textPreview({ type, props }: PageNode): string {
  if (type === 'blockRef' || type === 'sectionRef') return '';
  const { text, label, alt, title, items, doc, anchorId } = props?.specials ?? {};
  const found = [
    text,
    label,
    alt,
    title,
    findFirstText(items ?? null),
    findFirstBlockText(doc ?? null),
    anchorId,
  ].find((value) => typeof value === 'string' && value.trim() !== '');
  const line = String(found ?? '')
    .trim()
    .replaceAll(/\s+/g, ' ');
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}

/** Returns the words of the first block of a rich text that has any, whatever their marks. */
function findFirstBlockText(node: Json): string | undefined {
  const { type, text, content } = (node ?? {}) as Record<string, Json>;
  if (typeof text === 'string') return text;
  if (type === 'hardBreak') return ' ';
  if (!Array.isArray(content)) return undefined;
  const texts = content.map(findFirstBlockText);
  const isInline = content.some((inner) => (inner as Record<string, Json>).type === 'text');
  return isInline ? texts.join('') : texts.find((found) => found?.trim());
}

function findFirstText(value: Json): string | undefined {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value : undefined;
  if (!Array.isArray(value)) {
    const { text, content, alt } = value as Record<string, Json>;
    if (typeof text === 'string' && text !== '') return text;
    if (Array.isArray(content)) return findFirstText(content);
    return typeof alt === 'string' ? alt : undefined;
  }
  for (const inner of value) {
    const found = findFirstText(inner);
    if (found !== undefined && found !== '') return found;
  }
  return undefined;
}

/** Returns a node's name and the beginning of its text, for screen readers and lists. */
export function nodeTitle(node: PageNode, words: EditorWords, names: Names): string {
  const beginning = node.label ? '' : textPreview(node);
  const kind = describeKind(node, words, names);
  return beginning === '' ? kind : `${kind}: ${beginning}`;
}

/**
 * Returns the app whose block contains the problem, so that the merchant cannot fix it; undefined for other problems.
 */
export function findFaultyApp(node: PageNode | undefined, pointer: string, names: Names): string | undefined {
  if (node?.type !== 'blockRef' || pointer !== '') return undefined;
  const { appId, blockKey } = node.props?.specials ?? {};
  return names.blocks.get(blockNameKey(appId, blockKey))?.appName;
}

/** Returns the name of a node of the open document, from the data read so far. */
export function nodeName({ editor, words, storeId }: Workbench, id: string): string {
  const node = editor.state.tree.nodes.get(id);
  if (!node) return '';
  const names = createNames(
    queries.getQueryData(blocksQuery(storeId).queryKey),
    queries.getQueryData(sectionNamesQuery(storeId).queryKey),
  );
  return describeKind(node, words, names);
}
