import type { Json, PageNode } from '@waybill/page';
import { ancestors, getChildIds } from '../core/tree.ts';
import type { WorkbenchCore } from './workbench.ts';

/** The text of a node that is typed on the canvas. */
export interface TypedText {
  /** The special that stores the text. */
  readonly field: string;
  readonly isRich: boolean;
  readonly value: Json;
  readonly isEmpty: boolean;
  /** Drawn in place of an empty text, so that there is an element to type in. */
  readonly filler: Json;
}

/** A zero-width space: it takes no room, and no key types it. */
export const filler = '\u200b';

export const typesWithLabel = new Set(['field', 'select', 'checkbox', 'variantPicker']);
const typesWithText = new Set(['heading', 'text', 'productTitle', 'button', 'link', 'addToCart']);

/** Returns the text that is typed in a node; undefined if it has none or the text comes from elsewhere. */
export function findTypedText(workbench: WorkbenchCore, id: string): TypedText | undefined {
  const { tree } = workbench.editor.state;
  const node = tree.nodes.get(id);
  if (!node) return undefined;
  if (node.type === 'richText') {
    const value = specialValue(node, 'doc');
    const isEmpty = (value as { content?: readonly Json[] } | null)?.content === undefined;
    return { field: 'doc', isRich: true, value, isEmpty, filler: { type: 'doc', content: [] } };
  }
  // A link around other elements shows no text of its own.
  if (node.type === 'link' && getChildIds(tree, id).length > 0) return undefined;
  if (node.type === 'productTitle' && hasProductContext(workbench, id)) return undefined;
  const field = findTypedField(node);
  if (field === undefined) return undefined;
  const { locale } = workbench.view.state;
  const authored = specialValue(node, field) ?? defaultValue(workbench.editor.vocabulary, node.type, field);
  const translated = locale === null ? undefined : workbench.sources.state?.texts?.[id]?.[field];
  const value = translated ?? authored ?? '';
  return { field, isRich: false, value, isEmpty: value === '', filler };
}

function findTypedField(node: PageNode): string | undefined {
  if (typesWithLabel.has(node.type)) return 'label';
  if (!typesWithText.has(node.type)) return undefined;
  return specialValue(node, 'label') && ['button', 'link', 'addToCart'].includes(node.type)
    ? 'label'
    : 'text';
}

/** Returns the stored rich text of a node. */
export function readRichText({ editor }: WorkbenchCore, id: string): Json {
  return editor.state.tree.nodes.get(id)?.props?.specials?.doc ?? null;
}

const specialValue = ({ props }: PageNode, name: string): Json =>
  props?.specials && Object.hasOwn(props.specials, name) ? props.specials[name]! : null;

const defaultValue = (
  { elementTypes }: WorkbenchCore['editor']['vocabulary'],
  type: string,
  field: string,
): Json => elementTypes[type]?.specials[field]?.default ?? null;

/** Whether a surrounding product provides the text. */
function hasProductContext({ editor, sources }: WorkbenchCore, id: string): boolean {
  const { tree } = editor.state;
  if (sources.state?.place?.productId !== undefined) return true;
  return [...ancestors(tree, id)].some((ancestorId) => {
    const node = tree.nodes.get(ancestorId);
    if (node?.type === 'productList') return true;
    return node?.type === 'product' && Boolean(specialValue(node, 'productId'));
  });
}

/** Joins pasted lines into one: each line end becomes a space. */
export const joinLines = (text: string): string =>
  text
    .split('\n')
    .map((line, i, { length }) => {
      const started = i === 0 ? line : line.trimStart();
      return i === length - 1 ? started : started.trimEnd();
    })
    .filter((line, i, { length }) => line !== '' || i === 0 || i === length - 1)
    .join(' ');
