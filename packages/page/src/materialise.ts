import { mergeLayers, mergeSpecials } from './layers.ts';
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

/** One node of a page after its sections and blocks have been inserted. */
export interface TreeNode {
  /** The node's id after the ids of the references that lead to it, joined by `/`. Unique in the page. */
  readonly path: string;
  /**
   * The key for translations of the node's texts: the node's id in its own document; for a node of a block, the
   * reference's id, `/` and the node's id. In a section, the section's id and `:` come first.
   */
  readonly entityId: string;
  readonly type: string;
  readonly style: PerBreakpoint;
  readonly config: PerBreakpoint;
  readonly specials: Readonly<Record<string, Json>>;
  readonly bindings: readonly TreeBinding[];
  /** The island's full name, `app.<appId>.<name>`; set only when the page is published. */
  readonly island?: string;
  readonly children: readonly TreeNode[];
}

/** A field that shows the value which an app stores under a key. */
export interface TreeBinding {
  readonly appId: string;
  readonly key: string;
  readonly field: string;
}

export interface DocumentParts {
  /** Global sections by id; a missing one shows nothing. */
  readonly sections: ReadonlyMap<string, PageDocument>;
  /** Returns the block with a key from an installed, available version; undefined shows nothing. */
  readonly block: (appId: string, blockKey: string) => Block | undefined;
  /** Whether the page is rendered for publishing: only then are islands marked. */
  readonly publish: boolean;
  /** Prefix of all paths, if several documents share a page. */
  readonly prefix?: string;
}

/**
 * Replaces a document's references by their targets (`store-api.md 4.12`). Returns undefined if nothing is left. Beyond
 * 64 levels or 20,000 nodes nothing more is inserted, because sections that contain each other several times would grow
 * without end.
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
      // Each node is built once, so that a graph that is not a tree cannot loop.
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
    return this.document(section, joinIds(prefix, id), `${sectionId}:`, holders, depth);
  }

  #block(reference: PageNode, prefix: string, entityPrefix: string, depth: number): TreeNode | undefined {
    const { appId, blockKey } = reference.props?.specials ?? {};
    const block = this.#sources.block(String(appId), String(blockKey));
    if (!block) return undefined;
    const ownPrefix = `${entityPrefix}${reference.id}/`;
    return this.document(block, joinIds(prefix, reference.id), ownPrefix, [], depth, {
      appId: String(appId),
      settings: keepOpenSettings(block, reference.props?.settings ?? {}),
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
      path: joinIds(prefix, id),
      entityId: `${entityPrefix}${id}`,
      type,
      style: mergeLayers(style, settings?.style) ?? {},
      config: mergeLayers(config, settings?.config) ?? {},
      specials: mergeSpecials(specials, settings?.specials),
      bindings: block ? toAppBindings(bindings ?? [], block.appId) : [],
    };
    if (!block || !island || !this.#sources.publish) return node;
    return { ...node, island: `app.${block.appId}.${island}` };
  }
}

/**
 * Returns the settings that the block's traits open, by node id. A trait opens a whole target of a slot, never a single
 * key.
 */
function keepOpenSettings(
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
    settings.set(nodeId, before ? mergeSettings(before, applied) : applied);
  }
  return settings;
}

/** Merges the settings of two slots of the same node: the later one wins, key by key. */
function mergeSettings(first: SlotSettings, second: SlotSettings): SlotSettings {
  return {
    style: mergeLayers(first.style, second.style) ?? {},
    config: mergeLayers(first.config, second.config) ?? {},
    specials: mergeSpecials(first.specials, second.specials),
  };
}

function toAppBindings(bindings: readonly Binding[], appId: string): TreeBinding[] {
  return bindings
    .filter(({ source }) => source.startsWith('app.'))
    .map(({ source, field }) => ({ appId, key: source.slice('app.'.length), field }));
}

/** Joins ids into a path. Ids may contain any character, so the parts are escaped as in a JSON pointer. */
function joinIds(prefix: string, id: string): string {
  const part = /[~/]/.test(id) ? id.replaceAll('~', '~0').replaceAll('/', '~1') : id;
  return prefix === '' ? part : `${prefix}/${part}`;
}
