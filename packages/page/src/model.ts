/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The widths for which a style or config value can be set, widest first; a narrower one inherits. */
export const breakpoints = ['base', 'tablet', 'mobile'] as const;
export type Breakpoint = (typeof breakpoints)[number];

/** Values by breakpoint, then by write key: a missing value inherits from the wider breakpoint, `null` resets it. */
export type PerBreakpoint = { readonly [B in Breakpoint]?: Readonly<Record<string, Json>> | null };

/** Fills a field with an app's value: `app.<key>` in a manifest, `app.<appId>.<key>` once materialised. */
export interface Binding {
  readonly source: string;
  /** Dotted path, such as `specials.text`. */
  readonly field: string;
}

/** A merchant's settings for one slot of a block. */
export interface SlotSettings {
  readonly style?: PerBreakpoint;
  readonly config?: PerBreakpoint;
  readonly specials?: Readonly<Record<string, Json>>;
}

export interface NodeProps extends SlotSettings {
  /** Only in an app's block: a merchant's own elements cannot be bound. */
  readonly bindings?: readonly Binding[];
  /** Only on a `blockRef`: the merchant's settings by slot. */
  readonly settings?: Readonly<Record<string, SlotSettings>>;
}

/** One element of a page, as specified in `store-api.md 2.11`. */
export interface PageNode {
  readonly id: string;
  readonly type: string;
  readonly children?: readonly string[] | null;
  readonly props?: NodeProps | null;
  /** Only in an app's block: the name of an island that its version declares. */
  readonly island?: string | null;
  /** Only in a document: the editors' name for the node. Visitors never see it. */
  readonly label?: string | null;
}

/** A tree of nodes by id. Every node except the root is the child of exactly one other. */
export interface PageDocument {
  readonly rootId: string;
  readonly nodes: readonly PageNode[];
}

/** The scope of a merchant's edits to a block: all keys of one target on one slot. */
export interface TraitAttribute {
  readonly widget: string;
  /** A slot's name, or `$root`. */
  readonly slot: string;
  readonly target: Target;
  readonly writeKey: string;
}

/** One block of an app version's manifest, `store-api.md 2.11`. */
export interface Block extends PageDocument {
  readonly key: string;
  readonly name: string;
  readonly icon?: string | null;
  readonly slots?: readonly { readonly name: string; readonly nodeId: string }[] | null;
  readonly traits?:
    | readonly {
        readonly key: string;
        readonly label: string;
        readonly attributes: readonly TraitAttribute[];
      }[]
    | null;
}

/** The three namespaces of a node's props. */
export const targets = ['style', 'config', 'specials'] as const;
export type Target = (typeof targets)[number];

/** A problem in a document: its place (RFC 6901) and description. */
export interface Problem {
  pointer: string;
  message: string;
}

/** Maximum sizes of a document. */
export const limits = {
  nodes: 5_000,
  depth: 64,
  bytes: 1024 * 1024,
  problems: 100,
  /** Characters of a node's label in the editor. */
  labelLength: 100,
  /** Nodes of a page with all its sections and blocks inserted. */
  materialisedNodes: 20_000,
  /** Characters of HTML and CSS after which no further node is written. */
  rendered: 8 * 1024 * 1024,
} as const;
