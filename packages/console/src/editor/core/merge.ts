import {
  checkDocument,
  type Json,
  type NodeProps,
  type PageDocument,
  type PageNode,
  type Vocabulary,
} from '@waybill/page';
import { isEqual, withRoot } from './same.ts';
import { createTree, type Tree, toDocument } from './tree.ts';

export type Side = 'mine' | 'theirs';

/** A part that both sides have changed in different ways. */
export interface Conflict {
  /** Identifies the conflict across merges, so that a choice can refer to it. */
  readonly key: string;
  /**
   * `value`: a value of a node, at `path` below it. `listRemovedRegions`: one side removed a node that the other
   * changed. `moved`: into different boxes. `mergeOrder`: the children of the node. `whole`: the changes of both sides
   * cannot be combined.
   */
  readonly kind: 'value' | 'removed' | 'moved' | 'order' | 'whole';
  /** The node; for `whole`, the root. */
  readonly id: string;
  readonly path?: readonly string[];
  readonly base?: Json;
  readonly mine?: Json;
  readonly theirs?: Json;
  /** For `listRemovedRegions`: the side that removed the node. */
  readonly removedBy?: Side;
  /** The side used in the merged document. Content wins over its removal, and mine over theirs. */
  readonly chosenSide: Side;
}

export interface Merged {
  readonly document: PageDocument;
  /** The nodes that differ from mine: changed, new, moved or removed. */
  readonly changedFromMine: readonly string[];
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
  const mineTree = createTree(mine);
  const theirTree = createTree(withRoot(theirs, mine.rootId));
  const merger = new Merger(createTree(withRoot(base, mine.rootId)), mineTree, theirTree, choices);
  const document = merger.mergeDocuments();
  if (checkDocument(vocabulary, document).length === 0) {
    return {
      document,
      changedFromMine: listChangedIds(mineTree, createTree(document)),
      conflicts: merger.conflicts,
    };
  }
  const chosenSide = choices.whole ?? 'mine';
  const whole = toDocument(chosenSide === 'mine' ? mineTree : theirTree);
  return {
    document: whole,
    changedFromMine: listChangedIds(mineTree, createTree(whole)),
    conflicts: [{ key: 'whole', kind: 'whole', id: mine.rootId, chosenSide }],
  };
}

function listChangedIds(before: Tree, after: Tree): string[] {
  const ids = new Set([...before.nodes.keys(), ...after.nodes.keys()]);
  return [...ids].filter((id) => {
    const [a, b] = [before.nodes.get(id), after.nodes.get(id)];
    if (!a || !b || before.parents.get(id) !== after.parents.get(id)) return true;
    return (
      !isEqual(a, b) && !(isSame(listValues(a), listValues(b)) && isSameList(getChildIds(a), getChildIds(b)))
    );
  });
}

const getChildIds = (node: PageNode | undefined): readonly string[] => node?.children ?? [];
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

  mergeDocuments(): PageDocument {
    const keptIds = this.#listKeptIds();
    const parents = this.#findParents(keptIds);
    const children = new Map<string, string[]>();
    for (const [id, parent] of parents) {
      if (!children.has(parent)) children.set(parent, []);
      children.get(parent)!.push(id);
    }
    const nodes = new Map<string, PageNode>();
    for (const id of keptIds)
      nodes.set(id, this.#mergeNode(id, this.#orderChildren(id, children.get(id) ?? [])));
    return toDocument({ rootId: this.#mine.rootId, nodes, parents, bytes: 0 });
  }

  /** Records a conflict and returns the side that is used. */
  #resolve(conflict: Omit<Conflict, 'key' | 'chosenSide'>, fallback: Side = 'mine'): Side {
    const key = createKey(conflict.kind, conflict.id, ...(conflict.path ?? []));
    const chosenSide = (Object.hasOwn(this.#choices, key) && this.#choices[key]) || fallback;
    this.conflicts.push({ ...conflict, key, chosenSide });
    return chosenSide;
  }

  /** Returns the nodes of both sides, except those that one side removed and the other left unchanged. */
  #listKeptIds(): Set<string> {
    const keptIds = new Set([...this.#mine.nodes.keys(), ...this.#theirs.nodes.keys()]);
    for (const [side, own, other] of [
      ['theirs', this.#mine, this.#theirs],
      ['mine', this.#theirs, this.#mine],
    ] as const) {
      for (const region of this.#listRemovedRegions(own, other)) {
        const keepingSide = side === 'mine' ? 'theirs' : 'mine';
        const isTouched = region.some((id) => this.#hasTouched(own, id));
        const chosenSide = isTouched
          ? this.#resolve({ kind: 'removed', id: region[0]!, removedBy: side }, keepingSide)
          : side;
        if (chosenSide === side) for (const id of region) keptIds.delete(id);
      }
    }
    return keptIds;
  }

  /** Returns the nodes that `other` removed, each with everything below it that only `own` has, topmost node first. */
  #listRemovedRegions(own: Tree, other: Tree): string[][] {
    const isRemoved = (id: string) => this.#base.nodes.has(id) && !other.nodes.has(id);
    const regions: string[][] = [];
    const open: { id: string; region: string[] | undefined }[] = [{ id: own.rootId, region: undefined }];
    for (let next = open.pop(); next; next = open.pop()) {
      const { id } = next;
      let region = other.nodes.has(id) ? undefined : next.region;
      if (!region && isRemoved(id)) {
        region = [];
        regions.push(region);
      }
      region?.push(id);
      for (const child of getChildIds(own.nodes.get(id)).toReversed()) open.push({ id: child, region });
    }
    return regions;
  }

  /** Whether a side touched a node that the other removed: changed it, moved it or added to it. */
  #hasTouched(own: Tree, id: string): boolean {
    const [before, after] = [this.#base.nodes.get(id), own.nodes.get(id)!];
    if (!before || this.#base.parents.get(id) !== own.parents.get(id)) return true;
    const formerChildren = new Set(getChildIds(before));
    return (
      (before !== after && !isSame(listValues(before), listValues(after))) ||
      getChildIds(after).some((child) => !formerChildren.has(child))
    );
  }

  /** Returns the parent of each node after the moves of both sides, in a tree without cycles. */
  #findParents(keptIds: ReadonlySet<string>): Map<string, string> {
    const parents = new Map<string, string>();
    const parentMaps = [this.#mine, this.#theirs, this.#base].map((tree) => tree.parents);
    for (const id of keptIds) {
      if (id === this.#mine.rootId) continue;
      const wanted = this.#findParent(id);
      const others = parentMaps.map((parentMap) => parentMap.get(id));
      const parent = [wanted, ...others].find((each) => each !== undefined && keptIds.has(each));
      parents.set(id, parent ?? this.#mine.rootId);
    }
    this.#breakCycles(parents, keptIds);
    return parents;
  }

  #findParent(id: string): string | undefined {
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
    return this.#resolve(conflict) === 'mine' ? mine : theirs;
  }

  /** Breaks cycles, as when each side moved one of two boxes into the other: in the whole cycle my parents win. */
  #breakCycles(parents: Map<string, string>, keptIds: ReadonlySet<string>): void {
    const safe = new Set([this.#mine.rootId]);
    for (const start of parents.keys()) {
      let way: string[] = [];
      for (let id: string | undefined = start; id !== undefined && !safe.has(id); id = parents.get(id)) {
        const at = way.indexOf(id);
        if (at < 0) {
          way.push(id);
          continue;
        }
        for (const cycleId of way.slice(at)) this.#useOwnParent(cycleId, parents, keptIds);
        // Starts over, because the new parent may lead into another cycle.
        way = [];
        id = start;
        way.push(start);
      }
      for (const id of way) safe.add(id);
    }
  }

  #useOwnParent(id: string, parents: Map<string, string>, keptIds: ReadonlySet<string>): void {
    const own = this.#mine.parents.get(id);
    if (own === parents.get(id)) return;
    const theirs = parents.get(id) ?? null;
    if (own !== undefined)
      this.conflicts.push({ ...createCycleConflict(id, own, theirs), chosenSide: 'mine' });
    parents.set(id, own !== undefined && keptIds.has(own) ? own : this.#mine.rootId);
  }

  /** Returns the children of a node in an order that keeps the changes of both sides. */
  #orderChildren(id: string, children: readonly string[]): string[] {
    const wanted = new Set(children);
    const [base, mine, theirs] = [this.#base, this.#mine, this.#theirs].map((tree) =>
      getChildIds(tree.nodes.get(id)).filter((child) => wanted.has(child)),
    ) as [string[], string[], string[]];
    const inMine = new Set(mine);
    const inTheirs = new Set(theirs);
    const common = this.#mergeOrder(
      id,
      base,
      mine.filter((child) => inTheirs.has(child)),
      theirs.filter((child) => inMine.has(child)),
    );
    const result = [...common];
    const placed = new Set(common);
    const runs = [...listRuns(mine, placed), ...listRuns(theirs, placed)];
    // Nodes that both sides inserted at one place get an order that does not depend on the sides.
    runs.sort((a, b) => (a.ids[0]! < b.ids[0]! ? 1 : -1));
    for (const { after, ids } of runs) {
      result.splice(after === undefined ? 0 : result.indexOf(after) + 1, 0, ...ids);
    }
    const all = new Set(result);
    return [...result, ...children.filter((child) => !all.has(child))];
  }

  #mergeOrder(id: string, base: readonly string[], mine: string[], theirs: string[]): string[] {
    if (isSameList(mine, theirs)) return mine;
    const both = new Set(mine);
    const before = base.filter((child) => both.has(child));
    const known = new Set(before);
    const hasFormerOrder = (order: readonly string[]) =>
      isSameList(
        order.filter((child) => known.has(child)),
        before,
      );
    if (hasFormerOrder(mine) && hasFormerOrder(theirs)) return mine.join() < theirs.join() ? mine : theirs;
    if (hasFormerOrder(mine)) return theirs;
    if (hasFormerOrder(theirs)) return mine;
    return this.#resolve({ kind: 'order', id, base: before, mine, theirs }) === 'mine' ? mine : theirs;
  }

  #mergeNode(id: string, children: readonly string[]): PageNode {
    const [base, mine, theirs] = [this.#base, this.#mine, this.#theirs].map((tree) => tree.nodes.get(id));
    const own = !mine
      ? theirs!
      : !theirs || isEqual(mine, theirs)
        ? mine
        : this.#mergeValues(id, base, mine, theirs);
    if (isSameList(getChildIds(own), children)) return own;
    return { ...own, children };
  }

  #mergeValues(id: string, before: PageNode | undefined, own: PageNode, other: PageNode): PageNode {
    const [base, mine, theirs] = [listValues(before), listValues(own), listValues(other)];
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
            : this.#resolve({
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
    return buildNode(id, result, own.children);
  }
}

/** Joins the parts of a key. Ids and slots may contain any character, so they are escaped as in a JSON pointer. */
const createKey = (...parts: string[]) =>
  parts.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');

function createCycleConflict(id: string, mine: string, theirs: string | null) {
  return { key: createKey('moved', id), kind: 'moved' as const, id, mine, theirs };
}

interface Run {
  /** The preceding child; undefined at the start. */
  readonly after: string | undefined;
  readonly ids: string[];
}

/** Returns the runs of children between those that are already placed. */
function listRuns(list: readonly string[], placed: ReadonlySet<string>): Run[] {
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
function listValues(node: PageNode | undefined): Values {
  const values: Values = new Map();
  if (!node) return values;
  const add = (path: readonly string[], value: Json | undefined) => {
    if (value !== undefined) values.set(JSON.stringify(path), { path, value });
  };
  const { type, island, label, props } = node;
  add(['type'], type);
  add(['label'], label ?? undefined);
  add(['island'], island ?? undefined);
  const addAll = (path: readonly string[], values: object | null | undefined, levels: number) => {
    for (const [name, value] of Object.entries(values ?? {})) {
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

function buildNode(id: string, values: Values, children: PageNode['children']): PageNode {
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
