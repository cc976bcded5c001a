import { findValueType } from './check/props.ts';
import { type NodeProps, type PageDocument, type PageNode, type Target, targets } from './model.ts';
import type { Vocabulary } from './vocabulary/types.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Removes keys that a stored document's elements do not have, so that it can be saved again. Such keys could be stored
 * before they were refused, and show nothing. Returns the same object if there are none.
 */
export function withOwnKeys(vocabulary: Vocabulary, document: PageDocument): PageDocument {
  const nodes = document.nodes.map((node) => nodeWithOwnKeys(vocabulary, node));
  return nodes.every((node, i) => node === document.nodes[i]) ? document : { ...document, nodes };
}

function nodeWithOwnKeys(vocabulary: Vocabulary, node: PageNode): PageNode {
  const { type, props } = node;
  if (!props || !Object.hasOwn(vocabulary.elementTypes, type)) return node;
  const element = vocabulary.elementTypes[type];
  const own = (target: Target, values: Values): Values => {
    const knownEntries = Object.entries(values).filter(([key]) =>
      findValueType(vocabulary, element, target, key),
    );
    return knownEntries.length === Object.keys(values).length ? values : Object.fromEntries(knownEntries);
  };
  const changed: Record<string, unknown> = {};
  for (const target of targets) {
    const before = props[target] as Values | undefined;
    if (!before) continue;
    const after =
      target === 'specials'
        ? own(target, before)
        : mapValues(before, (values) => own(target, values as Values));
    if (after !== before) changed[target] = after;
  }
  if (Object.keys(changed).length === 0) return node;
  return { ...node, props: { ...props, ...changed } as NodeProps };
}

/** Changes the values of each width; returns the same object if none changed. */
function mapValues(values: Values, change: (value: unknown) => unknown): Values {
  const entries = Object.entries(values).map(([at, value]) => [at, value && change(value)] as const);
  return entries.every(([at, value]) => value === values[at]) ? values : Object.fromEntries(entries);
}
