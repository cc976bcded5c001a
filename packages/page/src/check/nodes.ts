import { limits } from '../model.ts';
import { isCleanText } from '../text.ts';
import type { Vocabulary } from '../vocabulary/types.ts';
import { below, isObject } from './pointer.ts';
import { checkBindings, checkNamespaces, withoutReference } from './props.ts';
import type { Report as ReportValue } from './report.ts';
import { suggestion } from './suggest.ts';

/**
 * The kind of rule that a node breaks: `invalid_block_subtree` for the shape of the tree, `invalid_block` for the rest.
 */
export type NodeProblemCode = 'invalid_block' | 'invalid_block_subtree' | 'unknown_element_type';

type Report = (code: NodeProblemCode, pointer: string, message: string, hint?: () => string) => void;

interface ReadNode {
  readonly index: number;
  readonly node: Record<string, unknown>;
  readonly children: readonly unknown[];
}

/**
 * Checks `{ rootId, nodes }` against a vocabulary: its shape, a single tree from the root, known types in allowed
 * places, and props of the right types. `container` tells a merchant's document from an app's block: references are
 * allowed only in documents, and bindings count only in blocks.
 */
export function checkTree(
  vocabulary: Vocabulary,
  value: unknown,
  pointer: string,
  container: 'document' | 'block',
  report: Report,
): void {
  if (!isObject(value)) {
    report('invalid_block', pointer, 'must be an object');
    return;
  }
  const { rootId, nodes } = value;
  if (typeof rootId !== 'string' || rootId === '') {
    report('invalid_block', below(pointer, 'rootId'), 'must be the id of a node');
  }
  const nodesPointer = below(pointer, 'nodes');
  if (!Array.isArray(nodes)) {
    report('invalid_block', nodesPointer, 'must be an array');
    return;
  }
  if (nodes.length === 0) {
    report('invalid_block_subtree', nodesPointer, 'must hold the root at least');
    return;
  }
  if (nodes.length > limits.nodes) {
    report('invalid_block', nodesPointer, `must hold at most ${limits.nodes} nodes`);
    return;
  }
  const seen = readNodes(nodes, nodesPointer, report);
  for (const { index, node } of seen.values()) {
    checkProps(vocabulary, node, below(nodesPointer, index), container, report);
  }
  if (typeof rootId !== 'string' || rootId === '') return;
  if (seen.has(rootId)) walk({ vocabulary, container }, rootId, seen, nodesPointer, report);
  else report('invalid_block_subtree', below(pointer, 'rootId'), 'names no node');
}

/** Indexes the nodes by id. A node without a usable id, or with a duplicate one, is reported and left out. */
function readNodes(nodes: readonly unknown[], nodesPointer: string, report: Report): Map<string, ReadNode> {
  const seen = new Map<string, ReadNode>();
  for (const [index, node] of nodes.entries()) {
    const own = below(nodesPointer, index);
    if (!isObject(node)) {
      report('invalid_block', own, 'must be an object');
      continue;
    }
    const { id, children = [] } = node;
    if (typeof id !== 'string' || id === '' || id.length > 128 || !isCleanText(id)) {
      report('invalid_block', below(own, 'id'), 'must be a string of 1 to 128 characters');
      continue;
    }
    if (id === '$root') report('invalid_block', below(own, 'id'), 'is reserved');
    if (seen.has(id)) {
      report('invalid_block_subtree', below(own, 'id'), 'is the id of another node too');
      continue;
    }
    if (!Array.isArray(children))
      report('invalid_block', below(own, 'children'), 'must be an array of node ids');
    seen.set(id, { index, node, children: Array.isArray(children) ? children : [] });
  }
  return seen;
}

/** In a block, references are no element types: neither their props nor their children are judged as theirs. */
function findElement(vocabulary: Vocabulary, type: unknown, container: 'document' | 'block') {
  if (typeof type !== 'string' || !Object.hasOwn(vocabulary.elementTypes, type)) return undefined;
  const element = vocabulary.elementTypes[type];
  return container === 'block' && element?.documentOnly ? undefined : element;
}

function checkProps(
  vocabulary: Vocabulary,
  node: Record<string, unknown>,
  pointer: string,
  container: 'document' | 'block',
  report: Report,
): void {
  const { type } = node;
  const typePointer = below(pointer, 'type');
  const element = findElement(vocabulary, type, container);
  if (typeof type !== 'string') report('invalid_block', typePointer, 'must be the name of an element type');
  else if (!element) {
    report('unknown_element_type', typePointer, 'is no element type', () => {
      const all = Object.entries(vocabulary.elementTypes);
      const allowed = all.filter(([, each]) => container === 'document' || !each.documentOnly);
      return suggestion(
        type,
        allowed.map(([name]) => name),
      );
    });
  }
  const invalid: ReportValue = (where, message, hint) => report('invalid_block', where, message, hint);
  if (container === 'block' && node.island !== undefined && typeof node.island !== 'string') {
    invalid(below(pointer, 'island'), 'must be the name of an island');
  }
  if (container === 'document' && !isLabel(node.label))
    invalid(below(pointer, 'label'), `must be a text of at most ${limits.labelLength} characters`);
  if (node.props === undefined) {
    if (container === 'document' && element?.documentOnly) invalid(below(pointer, 'props'), 'is required');
    return;
  }
  const props = container === 'block' ? withoutReference(node.props) : node.props;
  const propsPointer = below(pointer, 'props');
  if (!isObject(props)) {
    invalid(propsPointer, 'must be an object');
    return;
  }
  checkNamespaces(vocabulary, element, props, propsPointer, invalid);
  if (container === 'block') checkBindings(element, props.bindings, below(propsPointer, 'bindings'), invalid);
  else if (element?.documentOnly) checkReference(vocabulary, String(type), props, propsPointer, invalid);
}

const isLabel = (label: unknown) =>
  label === undefined ||
  label === null ||
  (typeof label === 'string' && label.length <= limits.labelLength && isCleanText(label));

function checkReference(
  vocabulary: Vocabulary,
  type: string,
  props: Record<string, unknown>,
  pointer: string,
  invalid: (pointer: string, message: string) => void,
): void {
  const specials = isObject(props.specials) ? props.specials : {};
  for (const name of type === 'blockRef' ? ['appId', 'blockKey'] : ['sectionId']) {
    if (typeof specials[name] !== 'string') {
      invalid(below(below(pointer, 'specials'), name), 'is required');
    }
  }
  if (type !== 'blockRef' || props.settings === undefined) return;
  const settingsPointer = below(pointer, 'settings');
  if (!isObject(props.settings)) {
    invalid(settingsPointer, 'must be an object');
    return;
  }
  for (const [slot, settings] of Object.entries(props.settings)) {
    if (isObject(settings))
      checkNamespaces(vocabulary, undefined, settings, below(settingsPointer, slot), invalid);
    else invalid(below(settingsPointer, slot), 'must be an object');
  }
}

interface Step {
  readonly id: string;
  readonly depth: number;
  /** Types that an ancestor excludes, each with the ancestor's type. */
  readonly excluded: ReadonlyMap<string, string>;
}

/**
 * Follows the children from the root and checks that each node is reached exactly once, in a place where it is allowed.
 */
function walk(
  { vocabulary, container }: { vocabulary: Vocabulary; container: 'document' | 'block' },
  rootId: string,
  seen: ReadonlyMap<string, ReadNode>,
  nodesPointer: string,
  report: Report,
): void {
  const reached = new Set([rootId]);
  const open: Step[] = [{ id: rootId, depth: 1, excluded: new Map() }];
  for (let step = open.pop(); step; step = open.pop()) {
    const { index, node, children } = seen.get(step.id)!;
    const pointer = below(nodesPointer, index);
    const type = String(node.type);
    const element = findElement(vocabulary, type, container);
    const above = step.excluded.get(type);
    if (above !== undefined) report('invalid_block', below(pointer, 'type'), `cannot stand in a ${above}`);
    if (step.depth > limits.depth) {
      report('invalid_block_subtree', pointer, `is nested deeper than ${limits.depth} levels`);
      continue;
    }
    const excluded = element?.excludes
      ? new Map([...step.excluded, ...element.excludes.map((name) => [name, type] as const)])
      : step.excluded;
    const next: Step[] = [];
    for (const [i, child] of children.entries()) {
      const own = below(below(pointer, 'children'), i);
      if (typeof child !== 'string' || !seen.has(child)) {
        report('invalid_block_subtree', own, 'names no node');
      } else if (reached.has(child)) {
        report('invalid_block_subtree', own, 'is the child of another node, or above this one');
      } else {
        reached.add(child);
        next.push({ id: child, depth: step.depth + 1, excluded });
      }
    }
    // Only true children count: an edge that breaks the tree is told as that, and as nothing else.
    if (next.length > 0 && element?.children === 'none') {
      report('invalid_block', below(pointer, 'children'), `must be empty: ${type} has no children`);
    }
    if (next.length > (element?.maxChildren ?? next.length)) {
      report('invalid_block', below(pointer, 'children'), `must have at most ${element!.maxChildren}`);
    }
    for (const each of next.reverse()) open.push(each);
  }
  for (const [id, { index }] of seen) {
    if (!reached.has(id))
      report('invalid_block_subtree', below(nodesPointer, index), 'is not reached from the root');
  }
}
