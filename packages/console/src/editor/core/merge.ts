import {
  checkDocument,
  type Json,
  type NodeProps,
  type PageDocument,
  type PageNode,
  type Vocabulary,
} from '@waybill/page';
import { isEqual, withRoot } from './same.ts';
import { documentOf, type Tree, treeOf } from './tree.ts';

export type Side = 'mine' | 'theirs';

/** A part that both sides have changed in different ways. */
export interface Conflict {
  /** Identifies the conflict across merges, so that a choice can refer to it. */
  readonly key: string;
  /**
   * `value`: a value of a node, at `path` below it. `removed`: one side removed a node that the other changed. `moved`:
   * into different boxes. `order`: the children of the node. `whole`: the changes of both sides cannot be combined.
   */
  readonly kind: 'value' | 'removed' | 'moved' | 'order' | 'whole';
  /** The node; for `whole`, the root. */
  readonly id: string;
  readonly path?: readonly string[];
  readonly base?: Json;
  readonly mine?: Json;
  readonly theirs?: Json;
  /** For `removed`: the side that removed the node. */
  readonly removedBy?: Side;
  /** The side used in the merged document. Content wins over its removal, and mine over theirs. */
  readonly taken: Side;
}

export interface Merged {
  readonly document: PageDocument;
  /** The nodes that differ from mine: changed, new, moved or removed. */
  readonly takenFromTheirs: readonly string[];
  readonly conflicts: readonly Conflict[];
}

/**
 * Merges two people's changes of one document: nodes by id, their values by key, children by insertions, removals and
 * moves. The result is always a valid document. Changes that do not touch each other give the same result, whichever
 * side is mine. `choices` settles conflicts by their keys.
 */
export function merge(
  vocabulary: Vocabulary,
  base: PageDocument,
  mine: PageDocument,
  theirs: PageDocument,
  choices: Readonly<Record<string, Side>> = {},
): Merged {
  const mineTree = treeOf(mine);
  const theirTree = treeOf(withRoot(theirs, mine.rootId));
  const merger = new Merger(treeOf(withRoot(base, mine.rootId)), mineTree, theirTree, choices);
  const document = merger.merged();
  if (checkDocument(vocabulary, document).length === 0) {
    return { document, takenFromTheirs: differing(mineTree, treeOf(document)), conflicts: merger.conflicts };
  }
  const taken = choices.whole ?? 'mine';
  const whole = documentOf(taken === 'mine' ? mineTree : theirTree);
  return {
    document: whole,
    takenFromTheirs: differing(mineTree, treeOf(whole)),
    conflicts: [{ key: 'whole', kind: 'whole', id: mine.rootId, taken }],
  };
}

function differing(before: Tree, after: Tree): string[] {
  const ids = new Set([...before.nodes.keys(), ...after.nodes.keys()]);
  return [...ids].filter((id) => {
    const [a, b] = [before.nodes.get(id), after.nodes.get(id)];
    if (!a || !b || before.parents.get(id) !== after.parents.get(id)) return true;
    return !isEqual(a, b) && !(isSame(valuesOf(a), valuesOf(b)) && isSameList(childrenOf(a), childrenOf(b)));
  });
}

const childrenOf = (node: PageNode | undefined): readonly string[] => node?.children ?? [];
const isSameList = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((each, i) => each === b[i]);

class Merger {
  readonly conflicts: Conflict[] = [];
  readonly #base: Tree;
  readonly #mine: Tree;
  readonly #theirs: Tree;
  readonly #choices: Readonly<Record<string, Side>>;

  constructor(base: Tree, mine: Tree, theirs: Tree, choices: Readonly<Record<string, Side>>) {
    this.#base = base;
    this.#mine = mine;
    this.#theirs = theirs;
    this.#choices = choices;
  }

  merged(): PageDocument {
    const kept = this.#keptIds();
    const parents = this.#parents(kept);
    const children = new Map<string, string[]>();
    for (const [id, parent] of parents) {
      if (!children.has(parent)) children.set(parent, []);
      children.get(parent)!.push(id);
    }
    const nodes = new Map<string, PageNode>();
    for (const id of kept) nodes.set(id, this.#node(id, this.#ordered(id, children.get(id) ?? [])));
    return documentOf({ rootId: this.#mine.rootId, nodes, parents, bytes: 0 });
  }

  /** Records a conflict and returns the side that is used. */
  #settle(conflict: Omit<Conflict, 'key' | 'taken'>, otherwise: Side = 'mine'): Side {
    const key = keyOf(conflict.kind, conflict.id, ...(conflict.path ?? []));
    const taken = (Object.hasOwn(this.#choices, key) && this.#choices[key]) || otherwise;
    this.conflicts.push({ ...conflict, key, taken });
    return taken;
  }

  /** Returns the nodes of both sides, except those that one side removed and the other left unchanged. */
  #keptIds(): Set<string> {
    const kept = new Set([...this.#mine.nodes.keys(), ...this.#theirs.nodes.keys()]);
    for (const [side, own, other] of [
      ['theirs', this.#mine, this.#theirs],
      ['mine', this.#theirs, this.#mine],
    ] as const) {
      for (const region of this.#removed(own, other)) {
        const keeper = side === 'mine' ? 'theirs' : 'mine';
        const isTouched = region.some((id) => this.#isTouched(own, id));
        const taken = isTouched
          ? this.#settle({ kind: 'removed', id: region[0]!, removedBy: side }, keeper)
          : side;
        if (taken === side) for (const id of region) kept.delete(id);
      }
    }
    return kept;
  }

  /** Returns the nodes that `other` removed, each with everything below it that only `own` has, topmost node first. */
  #removed(own: Tree, other: Tree): string[][] {
    const isGone = (id: string) => this.#base.nodes.has(id) && !other.nodes.has(id);
    const regions: string[][] = [];
    const open: { id: string; region: string[] | undefined }[] = [{ id: own.rootId, region: undefined }];
    for (let next = open.pop(); next; next = open.pop()) {
      const { id } = next;
      let region = other.nodes.has(id) ? undefined : next.region;
      if (!region && isGone(id)) {
        region = [];
        regions.push(region);
      }
      region?.push(id);
      for (const child of childrenOf(own.nodes.get(id)).toReversed()) open.push({ id: child, region });
    }
    return regions;
  }

  /** Whether a side touched a node that the other removed: changed it, moved it or added to it. */
  #isTouched(own: Tree, id: string): boolean {
    const [before, after] = [this.#base.nodes.get(id), own.nodes.get(id)!];
    if (!before || this.#base.parents.get(id) !== own.parents.get(id)) return true;
    const had = new Set(childrenOf(before));
    return (
      (before !== after && !isSame(valuesOf(before), valuesOf(after))) ||
      childrenOf(after).some((child) => !had.has(child))
    );
  }

  /** Returns the parent of each node after the moves of both sides, in a tree without cycles. */
  #parents(kept: ReadonlySet<string>): Map<string, string> {
    const parents = new Map<string, string>();
    const places = [this.#mine, this.#theirs, this.#base].map((tree) => tree.parents);
    for (const id of kept) {
      if (id === this.#mine.rootId) continue;
      const wanted = this.#parent(id);
      const others = places.map((place) => place.get(id));
      const parent = [wanted, ...others].find((each) => each !== undefined && kept.has(each));
      parents.set(id, parent ?? this.#mine.rootId);
    }
    this.#breakRounds(parents, kept);
    return parents;
  }

  #parent(id: string): string | undefined {
    const [mine, theirs, base] = [this.#mine, this.#theirs, this.#base].map((tree) => tree.parents.get(id));
    if (!this.#mine.nodes.has(id)) return theirs;
    if (!this.#theirs.nodes.has(id) || mine === theirs || theirs === base) return mine;
    if (mine === base) return theirs;
    const conflict = {
      kind: 'moved' as const,
      id,
      base: base ?? null,
      mine: mine ?? null,
      theirs: theirs ?? null,
    };
    return this.#settle(conflict) === 'mine' ? mine : theirs;
  }

  /** Breaks cycles, as when each side moved one of two boxes into the other: in the whole cycle my parents win. */
  #breakRounds(parents: Map<string, string>, kept: ReadonlySet<string>): void {
    const safe = new Set([this.#mine.rootId]);
    for (const start of parents.keys()) {
      let way: string[] = [];
      for (let id: string | undefined = start; id !== undefined && !safe.has(id); id = parents.get(id)) {
        const at = way.indexOf(id);
        if (at < 0) {
          way.push(id);
          continue;
        }
        for (const inRound of way.slice(at)) this.#takeOwnParent(inRound, parents, kept);
        // Starts over, because the new parent may lead into another cycle.
        way = [];
        id = start;
        way.push(start);
      }
      for (const id of way) safe.add(id);
    }
  }

  #takeOwnParent(id: string, parents: Map<string, string>, kept: ReadonlySet<string>): void {
    const own = this.#mine.parents.get(id);
    if (own === parents.get(id)) return;
    const theirs = parents.get(id) ?? null;
    if (own !== undefined) this.conflicts.push({ ...roundOf(id, own, theirs), taken: 'mine' });
    parents.set(id, own !== undefined && kept.has(own) ? own : this.#mine.rootId);
  }

  /** Returns the children of a node in an order that keeps the changes of both sides. */
  #ordered(id: string, children: readonly string[]): string[] {
    const wanted = new Set(children);
    const [base, mine, theirs] = [this.#base, this.#mine, this.#theirs].map((tree) =>
      childrenOf(tree.nodes.get(id)).filter((child) => wanted.has(child)),
    ) as [string[], string[], string[]];
    const inMine = new Set(mine);
    const inTheirs = new Set(theirs);
    const common = this.#order(
      id,
      base,
      mine.filter((child) => inTheirs.has(child)),
      theirs.filter((child) => inMine.has(child)),
    );
    const result = [...common];
    const placed = new Set(common);
    const runs = [...runsOf(mine, placed), ...runsOf(theirs, placed)];
    // Nodes that both sides inserted at one place get an order that does not depend on the sides.
    runs.sort((a, b) => (a.ids[0]! < b.ids[0]! ? 1 : -1));
    for (const { after, ids } of runs) {
      result.splice(after === undefined ? 0 : result.indexOf(after) + 1, 0, ...ids);
    }
    const all = new Set(result);
    return [...result, ...children.filter((child) => !all.has(child))];
  }

  #order(id: string, base: readonly string[], mine: string[], theirs: string[]): string[] {
    if (isSameList(mine, theirs)) return mine;
    const both = new Set(mine);
    const before = base.filter((child) => both.has(child));
    const known = new Set(before);
    const isAsBefore = (order: readonly string[]) =>
      isSameList(
        order.filter((child) => known.has(child)),
        before,
      );
    if (isAsBefore(mine) && isAsBefore(theirs)) return mine.join() < theirs.join() ? mine : theirs;
    if (isAsBefore(mine)) return theirs;
    if (isAsBefore(theirs)) return mine;
    return this.#settle({ kind: 'order', id, base: before, mine, theirs }) === 'mine' ? mine : theirs;
  }

  #node(id: string, children: readonly string[]): PageNode {
    const [base, mine, theirs] = [this.#base, this.#mine, this.#theirs].map((tree) => tree.nodes.get(id));
    const own = !mine
      ? theirs!
      : !theirs || isEqual(mine, theirs)
        ? mine
        : this.#values(id, base, mine, theirs);
    if (isSameList(childrenOf(own), children)) return own;
    return { ...own, children };
  }

  #values(id: string, before: PageNode | undefined, own: PageNode, other: PageNode): PageNode {
    const [base, mine, theirs] = [valuesOf(before), valuesOf(own), valuesOf(other)];
    if (isSame(mine, theirs) || isSame(base, theirs)) return own;
    if (isSame(base, mine)) return { ...other, ...(own.children && { children: own.children }) };
    const result: Values = new Map();
    for (const [key, { path }] of new Map([...base, ...mine, ...theirs])) {
      const values = [base, mine, theirs].map((each) => each.get(key)?.value);
      const [b, m, t] = values;
      const side =
        isEqual(m, t) || isEqual(b, t)
          ? 'mine'
          : isEqual(b, m)
            ? 'theirs'
            : this.#settle({
                kind: 'value',
                id,
                path,
                ...(b !== undefined && { base: b }),
                ...(m !== undefined && { mine: m }),
                ...(t !== undefined && { theirs: t }),
              });
      const value = side === 'mine' ? m : t;
      if (value !== undefined) result.set(key, { path, value });
    }
    return nodeOf(id, result, own.children);
  }
}

/** Joins the parts of a key. Ids and slots may contain any character, so they are escaped as in a JSON pointer. */
const keyOf = (...parts: string[]) =>
  parts.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');

function roundOf(id: string, mine: string, theirs: string | null) {
  return { key: keyOf('moved', id), kind: 'moved' as const, id, mine, theirs };
}

interface Run {
  /** The preceding child; undefined at the start. */
  readonly after: string | undefined;
  readonly ids: string[];
}

/** Returns the runs of children between those that are already placed. */
function runsOf(list: readonly string[], placed: ReadonlySet<string>): Run[] {
  const runs: Run[] = [];
  let after: string | undefined;
  let run: Run | undefined;
  for (const id of list) {
    if (placed.has(id)) {
      after = id;
      run = undefined;
    } else if (run) run.ids.push(id);
    else {
      run = { after, ids: [id] };
      runs.push(run);
    }
  }
  return runs;
}

type Values = Map<string, { readonly path: readonly string[]; readonly value: Json }>;

/** Returns all values of a node by their paths below the props; its type and island are stored under their names. */
function valuesOf(node: PageNode | undefined): Values {
  const values: Values = new Map();
  if (!node) return values;
  const add = (path: readonly string[], value: Json | undefined) => {
    if (value !== undefined) values.set(JSON.stringify(path), { path, value });
  };
  const { type, island, label, props } = node;
  add(['type'], type);
  add(['label'], label ?? undefined);
  add(['island'], island ?? undefined);
  const addAll = (path: readonly string[], some: object | null | undefined, levels: number) => {
    for (const [name, value] of Object.entries(some ?? {})) {
      if (levels > 0 && typeof value === 'object') addAll([...path, name], value, levels - 1);
      else add([...path, name], value as Json);
    }
  };
  for (const [name, part] of Object.entries(props ?? {})) {
    if (name === 'style' || name === 'config') addAll(['props', name], part, 1);
    else if (name === 'specials') addAll(['props', name], part, 0);
    else if (name === 'settings') {
      for (const [slot, { specials, ...widths }] of Object.entries(props!.settings ?? {})) {
        addAll(['props', name, slot, 'specials'], specials, 0);
        addAll(['props', name, slot], widths, 2);
      }
    } else add(['props', name], part as Json);
  }
  return values;
}

function nodeOf(id: string, values: Values, children: PageNode['children']): PageNode {
  const root: { [key: string]: unknown } = {};
  for (const { path, value } of values.values()) {
    let at = root;
    for (const name of path.slice(0, -1)) {
      if (!Object.hasOwn(at, name)) define(at, name, {});
      at = at[name] as { [key: string]: unknown };
    }
    define(at, path.at(-1)!, value);
  }
  const { type, island, label, props } = root as Pick<PageNode, 'type' | 'island' | 'label'> & {
    props?: NodeProps;
  };
  return {
    id,
    type,
    ...(label && { label }),
    ...(children && { children }),
    ...(props && { props }),
    ...(island && { island }),
  };
}

/** Defines an own member, whatever its name is. */
function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
}

function isSame(a: Values, b: Values): boolean {
  if (a.size !== b.size) return false;
  for (const [key, { value }] of a) if (!isEqual(value, b.get(key)?.value)) return false;
  return true;
}
