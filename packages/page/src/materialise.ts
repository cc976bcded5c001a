import { layered, layeredSpecials } from './layers.ts';
import {
  type Binding,
  type Block,
  type Json,
  limits,
  type PageDocument,
  type PageNode,
  type PerBreakpoint,
  type SlotSettings,
  type Target,
  targets,
} from './model.ts';
import { vocabulary } from './vocabulary/index.ts';

/** One node of a page with its sections and blocks put in. */
export interface TreeNode {
  /** The node's id below the ids of the references it came by, parts joined by `/`. Unique in the page. */
  readonly path: string;
  /**
   * What translations of the node's texts are kept by: the id that the node has in its own document; for a node of
   * a block, the reference's id, `/`, the node's; before either, in a section, the section's id and `:`.
   */
  readonly entityId: string;
  readonly type: string;
  readonly style: PerBreakpoint;
  readonly config: PerBreakpoint;
  readonly specials: Readonly<Record<string, Json>>;
  readonly bindings: readonly TreeBinding[];
  /** The island's full name, `app.<appId>.<name>`; only when made to be published. */
  readonly island?: string;
  readonly children: readonly TreeNode[];
}

/** A field that shows the value which an app keeps under a key. */
export interface TreeBinding {
  readonly appId: string;
  readonly key: string;
  readonly field: string;
}

export interface DocumentParts {
  /** Global sections by id; one that is missing shows nothing. */
  readonly sections: ReadonlyMap<string, PageDocument>;
  /** The block that an installed, available version has under a key; undefined shows nothing. */
  readonly block: (appId: string, blockKey: string) => Block | undefined;
  /** Whether the page is made to be published: only then are islands marked. */
  readonly publish: boolean;
  /** What all paths begin with, where several documents stand in one page. */
  readonly prefix?: string;
}

/**
 * A document with its references replaced by what they stand for: `store-api.md 4.12`. Undefined where nothing is
 * left. Deeper than 64 levels, or after 20,000 nodes, nothing more is put in: sections that hold each other
 * several times over would grow without end.
 */
export function materialise(document: PageDocument, sources: DocumentParts): TreeNode | undefined {
  return new Materialiser(sources).document(document, sources.prefix ?? '', '', [], 1);
}

interface BlockContext {
  readonly appId: string;
  readonly settings: ReadonlyMap<string, SlotSettings>;
}

class Materialiser {
  readonly #sources: DocumentParts;
  #left: number = limits.materialisedNodes;

  constructor(sources: DocumentParts) {
    this.#sources = sources;
  }

  document(
    { rootId, nodes }: PageDocument,
    prefix: string,
    entityPrefix: string,
    sections: readonly string[],
    depth: number,
    block?: BlockContext,
  ): TreeNode | undefined {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const build = (id: string, level: number): TreeNode | undefined => {
      const node = byId.get(id);
      // A node is built once, so that a graph that is no tree cannot go round.
      byId.delete(id);
      if (!node || level > limits.depth || this.#left <= 0) return undefined;
      if (node.type === 'sectionRef') return block ? undefined : this.#section(node, prefix, sections, level);
      if (node.type === 'blockRef') {
        return block ? undefined : this.#block(node, prefix, entityPrefix, level);
      }
      if (!Object.hasOwn(vocabulary.elementTypes, node.type)) return undefined;
      this.#left--;
      const children = (node.children ?? [])
        .map((child) => build(child, level + 1))
        .filter((child) => child !== undefined);
      return { ...this.#own(node, prefix, entityPrefix, block), children };
    };
    return build(rootId, depth);
  }

  #section(
    { id, props }: PageNode,
    prefix: string,
    sections: readonly string[],
    depth: number,
  ): TreeNode | undefined {
    const sectionId = String(props?.specials?.sectionId);
    const section = this.#sources.sections.get(sectionId);
    if (!section || sections.includes(sectionId)) return undefined;
    const holders = [...sections, sectionId];
    return this.document(section, joined(prefix, id), `${sectionId}:`, holders, depth);
  }

  #block(reference: PageNode, prefix: string, entityPrefix: string, depth: number): TreeNode | undefined {
    const { appId, blockKey } = reference.props?.specials ?? {};
    const block = this.#sources.block(String(appId), String(blockKey));
    if (!block) return undefined;
    const ownPrefix = `${entityPrefix}${reference.id}/`;
    return this.document(block, joined(prefix, reference.id), ownPrefix, [], depth, {
      appId: String(appId),
      settings: openSettings(block, reference.props?.settings ?? {}),
    });
  }

  #own(
    { id, type, props, island }: PageNode,
    prefix: string,
    entityPrefix: string,
    block?: BlockContext,
  ): Omit<TreeNode, 'children'> {
    const { style, config, specials, bindings } = props ?? {};
    const settings = block?.settings.get(id);
    const node = {
      path: joined(prefix, id),
      entityId: `${entityPrefix}${id}`,
      type,
      style: layered(style, settings?.style) ?? {},
      config: layered(config, settings?.config) ?? {},
      specials: layeredSpecials(specials, settings?.specials),
      bindings: block ? appBindings(bindings ?? [], block.appId) : [],
    };
    if (!block || !island || !this.#sources.publish) return node;
    return { ...node, island: `app.${block.appId}.${island}` };
  }
}

/** The settings that the block's traits open, by node id: a slot and a target at a time, never a single key. */
function openSettings(
  { rootId, slots, traits }: Block,
  stored: Readonly<Record<string, SlotSettings>>,
): Map<string, SlotSettings> {
  const nodeIds = new Map([
    ['$root', rootId],
    ...(slots ?? []).map(({ name, nodeId }) => [name, nodeId] as const),
  ]);
  const open = new Map<string, Set<Target>>();
  for (const { slot, target } of (traits ?? []).flatMap(({ attributes }) => attributes)) {
    if (!open.has(slot)) open.set(slot, new Set());
    open.get(slot)!.add(target);
  }
  const settings = new Map<string, SlotSettings>();
  for (const [slot, opened] of open) {
    const nodeId = nodeIds.get(slot);
    const own = Object.hasOwn(stored, slot) ? stored[slot] : undefined;
    if (nodeId === undefined || !own) continue;
    const applied = Object.fromEntries(
      targets.filter((target) => opened.has(target)).map((target) => [target, own[target]]),
    ) as SlotSettings;
    const before = settings.get(nodeId);
    settings.set(nodeId, before ? merged(before, applied) : applied);
  }
  return settings;
}

/** Two slots of one node: the later one wins, key by key. */
function merged(first: SlotSettings, second: SlotSettings): SlotSettings {
  return {
    style: layered(first.style, second.style) ?? {},
    config: layered(first.config, second.config) ?? {},
    specials: layeredSpecials(first.specials, second.specials),
  };
}

function appBindings(bindings: readonly Binding[], appId: string): TreeBinding[] {
  return bindings
    .filter(({ source }) => source.startsWith('app.'))
    .map(({ source, field }) => ({ appId, key: source.slice('app.'.length), field }));
}

/** Ids may hold any character, so the parts are escaped as in a JSON pointer. */
function joined(prefix: string, id: string): string {
  const part = /[~/]/.test(id) ? id.replaceAll('~', '~0').replaceAll('/', '~1') : id;
  return prefix === '' ? part : `${prefix}/${part}`;
}
