import { targets } from '../model.ts';
import { hasVisibleText } from '../text.ts';
import type { Vocabulary } from '../vocabulary/types.ts';
import { checkTree, type NodeProblemCode } from './nodes.ts';
import { below, isObject } from './pointer.ts';
import { suggestion } from './suggest.ts';

/** A problem of a single block, with its code from `store-api.md 7.2`; problems of islands are separate. */
export interface BlockProblem {
  code: NodeProblemCode | 'unknown_trait_widget' | 'unknown_write_key';
  pointer: string;
  message: string;
}

type Report = (code: BlockProblem['code'], pointer: string, message: string, hint?: () => string) => void;

/** Maximum number of hints. Nobody reads more, and hints cost more than all other checks. */
const maxHints = 100;

/** Collects every problem, so that after sorting the first of each kind is known. */
function reportInto(problems: BlockProblem[]): Report {
  return (code, pointer, message, hint) => {
    const end = problems.length < maxHints ? (hint?.() ?? '') : '';
    problems.push({ code, pointer, message: message + end });
  };
}

/**
 * Returns all problems of one block of a manifest (`store-api.md 2.11`, `decisions.md 7.4`), in the order of the block.
 * Checks that involve the other blocks or the version (duplicate keys, declared islands) are left to the caller.
 */
export function checkBlock(vocabulary: Vocabulary, block: unknown, pointer = ''): BlockProblem[] {
  const problems: BlockProblem[] = [];
  const report = reportInto(problems);
  const invalid = (at: string, message: string) => report('invalid_block', at, message);
  if (!isObject(block)) {
    invalid(pointer, 'must be an object');
    return problems;
  }
  const { key, name, icon, traits = [] } = block;
  if (typeof key !== 'string' || key.length > 64 || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(key)) {
    invalid(below(pointer, 'key'), 'must be a lower-case slug of at most 64 characters');
  }
  if (!isName(name)) {
    invalid(below(pointer, 'name'), nameRule);
  }
  if (icon !== undefined && typeof icon !== 'string') {
    invalid(below(pointer, 'icon'), 'must be a string');
  }
  checkTree(vocabulary, block, pointer, 'block', report);
  const slots = checkSlots(block, pointer, invalid);
  checkTraits(vocabulary, traits, slots, below(pointer, 'traits'), report);
  return problems;
}

const nameRule = 'must be a string of 1 to 200 characters, at least one of them visible';

const isName = (name: unknown) =>
  typeof name === 'string' && hasVisibleText(name) && name.trim().length <= 200;

function checkSlots(
  block: Record<string, unknown>,
  pointer: string,
  invalid: (pointer: string, message: string) => void,
): Set<string> {
  const names = new Set(['$root']);
  const ids = new Set(Array.isArray(block.nodes) ? block.nodes.map((node) => isObject(node) && node.id) : []);
  const slotsPointer = below(pointer, 'slots');
  const { slots = [] } = block;
  if (!Array.isArray(slots)) {
    invalid(slotsPointer, 'must be an array');
    return names;
  }
  for (const [i, slot] of slots.entries()) {
    const own = below(slotsPointer, i);
    if (!isObject(slot)) {
      invalid(own, 'must be an object');
      continue;
    }
    const { name, nodeId } = slot;
    if (typeof name !== 'string' || name === '' || name.length > 64) {
      invalid(below(own, 'name'), 'must be a string of 1 to 64 characters');
    } else if (name === '$root') invalid(below(own, 'name'), 'is reserved for the root');
    else if (names.has(name)) invalid(below(own, 'name'), 'is the name of another slot too');
    else names.add(name);
    if (typeof nodeId !== 'string' || !ids.has(nodeId)) invalid(below(own, 'nodeId'), 'names no node');
  }
  return names;
}

function checkTraits(
  vocabulary: Vocabulary,
  traits: unknown,
  slots: ReadonlySet<string>,
  pointer: string,
  report: Report,
): void {
  if (!Array.isArray(traits)) {
    report('invalid_block', pointer, 'must be an array');
    return;
  }
  const keys = new Set<string>();
  for (const [i, trait] of traits.entries()) {
    const own = below(pointer, i);
    if (!isObject(trait)) {
      report('invalid_block', own, 'must be an object');
      continue;
    }
    const { key, label, attributes } = trait;
    if (typeof key !== 'string' || key === '' || key.length > 64) {
      report('invalid_block', below(own, 'key'), 'must be a string of 1 to 64 characters');
    } else if (keys.has(key)) {
      report('invalid_block', below(own, 'key'), 'is the key of another trait too');
    } else keys.add(key);
    if (!isName(label)) {
      report('invalid_block', below(own, 'label'), nameRule);
    }
    const attributesPointer = below(own, 'attributes');
    if (!Array.isArray(attributes)) {
      report('invalid_block', attributesPointer, 'must be an array');
      continue;
    }
    for (const [j, attribute] of attributes.entries()) {
      checkAttribute(vocabulary, attribute, slots, below(attributesPointer, j), report);
    }
  }
}

/**
 * A widget need not suit its write key: an attribute opens the whole namespace of its target anyway (`store-api.md
 * 4.12`, rule 2), and the editor offers the keys that fit.
 */
function checkAttribute(
  vocabulary: Vocabulary,
  attribute: unknown,
  slots: ReadonlySet<string>,
  pointer: string,
  report: Report,
): void {
  if (!isObject(attribute)) {
    report('invalid_block', pointer, 'must be an object');
    return;
  }
  const { widget, slot, target, writeKey } = attribute;
  if (typeof slot !== 'string' || !slots.has(slot)) {
    report('invalid_block', below(pointer, 'slot'), 'must be a name from slots, or $root');
  }
  const knownTarget = targets.find((each) => each === target);
  if (!knownTarget) report('invalid_block', below(pointer, 'target'), `must be one of ${targets.join(', ')}`);
  if (typeof widget !== 'string') {
    report('invalid_block', below(pointer, 'widget'), 'must be the name of a widget');
  } else if (!Object.hasOwn(vocabulary.widgets, widget)) {
    const hint = () => suggestion(widget, Object.keys(vocabulary.widgets));
    report('unknown_trait_widget', below(pointer, 'widget'), 'is no widget', hint);
  }
  if (typeof writeKey !== 'string' || writeKey === '') {
    report('invalid_block', below(pointer, 'writeKey'), 'is required');
  } else if (knownTarget && !Object.hasOwn(vocabulary.writeKeys[knownTarget], writeKey)) {
    const hint = () => suggestion(writeKey, Object.keys(vocabulary.writeKeys[knownTarget]));
    report('unknown_write_key', below(pointer, 'writeKey'), `is no ${knownTarget} key`, hint);
  }
}
