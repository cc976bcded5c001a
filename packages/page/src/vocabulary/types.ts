import type { Json, Target } from '../model.ts';

/** What a value is to the person who edits it; the widgets name the kinds that they can write. */
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
 * The type of a value: a small part of JSON Schema, so that any validator can use it, with `kind` for the editor.
 * Two formats are this package's own: `url` (an allowed scheme or none) and `richText` (a `doc` tree).
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
  /** Of the format `richText`: what it may be made of. */
  readonly richText?: RichTextRules;
}

/** What rich text may be made of. */
export interface RichTextRules {
  /** The kinds of node, and which of them each may hold; the root is a `doc`, what is written stands in `text`. */
  readonly content: Readonly<Record<string, readonly string[]>>;
  /** Attributes that nodes may have, by kind. */
  readonly attrs: Readonly<Record<string, Readonly<Record<string, ValueType>>>>;
  /** The marks of text, each with the attributes that it must have. */
  readonly marks: Readonly<Record<string, Readonly<Record<string, ValueType>>>>;
  /** How deep it may nest. */
  readonly depth: number;
}

/** A special of an element: its type, and what it is where nothing is set. */
export interface Special {
  readonly type: ValueType;
  readonly default: Json;
}

/** What one element is. */
export interface ElementType {
  readonly label: string;
  /** The HTML elements that it can be, the first unless the special `tag` or `level` says otherwise. */
  readonly tags: readonly string[];
  /** `any`: every element, save what an ancestor excludes; `none`: a leaf. */
  readonly children: 'any' | 'none';
  /** How many of those at most, where that is not any number. */
  readonly maxChildren?: number;
  /** Elements that may not stand anywhere below this one. */
  readonly excludes?: readonly string[];
  readonly specials: Readonly<Record<string, Special>>;
  readonly config: readonly string[];
  /** Fields that a binding may fill. */
  readonly bindable: readonly string[];
  /** The style keys that it takes, where that is not all of them. */
  readonly style?: readonly string[];
  /** Stands in merchants' documents only, never in an app's block. */
  readonly documentOnly?: boolean;
}

/** A control of the editor: what it may write. */
export interface Widget {
  readonly label: string;
  readonly targets: readonly Target[];
  readonly kinds: readonly ValueKind[];
}

/** Everything that documents are checked against, as data: `decisions.md 4.3`. */
export interface Vocabulary {
  readonly version: string;
  readonly elementTypes: Readonly<Record<string, ElementType>>;
  readonly widgets: Readonly<Record<string, Widget>>;
  readonly writeKeys: { readonly [T in Target]: Readonly<Record<string, ValueType>> };
}
