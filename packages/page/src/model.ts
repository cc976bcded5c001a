/** Whatever JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The widths that a style or a config value can be set for, widest first; a narrower one inherits. */
export const breakpoints = ['base', 'tablet', 'mobile'] as const;
export type Breakpoint = (typeof breakpoints)[number];

/** Values by breakpoint, then by write key: absent inherits from the wider breakpoint, `null` resets. */
export type PerBreakpoint = { readonly [B in Breakpoint]?: Readonly<Record<string, Json>> | null };

/** Puts an app's value in a field: `app.<key>` in a manifest, `app.<appId>.<key>` once materialised. */
export interface Binding {
  readonly source: string;
  /** Dotted, such as `specials.text`. */
  readonly field: string;
}

/** What a merchant set on one slot of a block. */
export interface SlotSettings {
  readonly style?: PerBreakpoint;
  readonly config?: PerBreakpoint;
  readonly specials?: Readonly<Record<string, Json>>;
}

export interface NodeProps extends SlotSettings {
  /** An app's block only: a merchant's own elements cannot be bound. */
  readonly bindings?: readonly Binding[];
  /** On a `blockRef` only: the merchant's settings by slot. */
  readonly settings?: Readonly<Record<string, SlotSettings>>;
}

/** One element of a page, as `store-api.md 2.11` has it. */
export interface PageNode {
  readonly id: string;
  readonly type: string;
  readonly children?: readonly string[] | null;
  readonly props?: NodeProps | null;
  /** An app's block only: the name of an island that its version declares. */
  readonly island?: string | null;
  /** A document only: what its editors call the node. Visitors never see it. */
  readonly label?: string | null;
}

/** A tree of nodes by id. Every node but the root is the child of exactly one other. */
export interface PageDocument {
  readonly rootId: string;
  readonly nodes: readonly PageNode[];
}

/** What a merchant's edit of a block may reach: all of one target's keys on one slot. */
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

/** A wrong place in a document: where (RFC 6901) and what. */
export interface Problem {
  pointer: string;
  message: string;
}

/** What a document may hold at most. */
export const limits = {
  nodes: 5_000,
  depth: 64,
  bytes: 1024 * 1024,
  problems: 100,
  /** Characters of the label that editors call a node by. */
  labelLength: 100,
  /** Of a page with all its sections and blocks put in. */
  materialisedNodes: 20_000,
  /** Characters of HTML and CSS, after which no further node is written. */
  rendered: 8 * 1024 * 1024,
} as const;
