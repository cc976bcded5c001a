import type { Json, Target } from '../model.ts';

/** The kind of a value to the person who edits it; widgets list the kinds that they can write. */
export type ValueKind =
  | 'text'
  | 'richText'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'length'
  | 'color'
  | 'background'
  | 'font'
  | 'shadow'
  | 'css'
  | 'link'
  | 'media'
  | 'product'
  | 'identifier'
  | 'items'
  | 'source'
  | 'category';

/**
 * The type of a value: a small part of JSON Schema, so that any validator can use it, plus `kind` for the editor. Two
 * formats are specific to this package: `url` (an allowed scheme or none) and `richText` (a `doc` tree).
 */
export interface ValueType {
  readonly kind?: ValueKind;
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  readonly const?: string;
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: ValueType;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, ValueType>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly ValueType[];
  readonly format?: 'url' | 'richText';
  /** The rules of the format `richText`. */
  readonly richText?: RichTextRules;
}

/** The allowed structure of rich text. */
export interface RichTextRules {
  /** The kinds of node, each with the kinds it may contain. The root is a `doc`; written text is in `text` nodes. */
  readonly content: Readonly<Record<string, readonly string[]>>;
  /** Allowed attributes of nodes, by kind. */
  readonly attrs: Readonly<Record<string, Readonly<Record<string, ValueType>>>>;
  /** The marks of text, each with its required attributes. */
  readonly marks: Readonly<Record<string, Readonly<Record<string, ValueType>>>>;
  /** Maximum nesting depth. */
  readonly depth: number;
}

/** A special of an element: its type and its default. */
export interface Special {
  readonly type: ValueType;
  readonly default: Json;
}

/** The definition of one element. */
export interface ElementType {
  readonly label: string;
  /** The HTML elements it can become: the first, unless the special `tag` or `level` chooses another. */
  readonly tags: readonly string[];
  /** `any`: every element except those that an ancestor excludes; `none`: a leaf. */
  readonly children: 'any' | 'none';
  /** Maximum number of children, if limited. */
  readonly maxChildren?: number;
  /** Elements that may not appear anywhere below this one. */
  readonly excludes?: readonly string[];
  readonly specials: Readonly<Record<string, Special>>;
  readonly config: readonly string[];
  /** Fields that a binding may fill. */
  readonly bindable: readonly string[];
  /** The style keys that it takes, if not all of them. */
  readonly style?: readonly string[];
  /** Whether it appears only in merchants' documents, never in an app's block. */
  readonly documentOnly?: boolean;
}

/** A control of the editor, and the values that it may write. */
export interface Widget {
  readonly label: string;
  readonly targets: readonly Target[];
  readonly kinds: readonly ValueKind[];
}

/** Everything that documents are checked against, as data (`decisions.md 4.3`). */
export interface Vocabulary {
  readonly version: string;
  readonly elementTypes: Readonly<Record<string, ElementType>>;
  readonly widgets: Readonly<Record<string, Widget>>;
  readonly writeKeys: { readonly [T in Target]: Readonly<Record<string, ValueType>> };
}
