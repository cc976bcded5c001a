import type { FocalPoint } from './facts.ts';
import type { PerBreakpoint } from './model.ts';

/** Text and structure only, so that the renderer can produce HTML without further lookups. */

export interface Link {
  readonly url: string;
  readonly newTab: boolean;
}

export interface Picture {
  readonly url: string;
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** The asset's own text; empty if it has none or the picture is not an asset. */
  readonly alt: string;
  readonly focalPoint: FocalPoint | undefined;
  readonly sources: readonly { readonly url: string; readonly width: number }[];
}

export interface Item {
  readonly text: string;
  readonly href: Link | undefined;
  readonly src: Picture | undefined;
  readonly alt: string;
  readonly caption: string;
  /** Entries one level below, in a menu. */
  readonly items: readonly Item[];
}

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly disabled: boolean;
  readonly selected?: boolean;
}

/** One of several choices. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Shown beside the label. */
  readonly note: string;
  readonly isChosen: boolean;
  /** Whether choosing it leads to nothing that can be bought, or to something else. */
  readonly isOff: boolean;
  /** The link that makes the choice. */
  readonly href: Link | undefined;
  readonly src: Picture | undefined;
}

export interface ChoiceGroup {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly Choice[];
}

/** Rich text with its links resolved to URLs. */
export interface ResolvedRichText {
  readonly type: string;
  readonly text: string;
  readonly level: number;
  readonly marks: readonly { readonly type: string; readonly href: Link | undefined }[];
  readonly content: readonly ResolvedRichText[];
}

/** The resolved specials of a node; each element reads only its own. */
export interface ResolvedSpecials {
  readonly text: string;
  readonly alt: string;
  readonly title: string;
  readonly caption: string;
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  /** The address that a form posts to; empty if none. */
  readonly action: string;
  /** The `formName` of a form. */
  readonly formName: string;
  /** The problem with a visitor's value in a field. */
  readonly problem: string;
  readonly ariaLabel: string;
  readonly fromText: string;
  readonly soldOutText: string;
  readonly emptyText: string;
  /** Text of the button that closes a menu panel. */
  readonly closeText: string;
  readonly doc: ResolvedRichText | undefined;
  /** HTML that the sanitiser wrote. */
  readonly html: string;
  /** RFC 3339; `text` contains it in words. */
  readonly timestamp: string;
  /** Links to the previous and next page of a list. */
  readonly previous: Item | undefined;
  readonly next: Item | undefined;
  readonly href: Link | undefined;
  readonly src: Picture | undefined;
  readonly poster: Picture | undefined;
  readonly items: readonly Item[];
  readonly options: readonly Option[];
  readonly groups: readonly ChoiceGroup[];
  /** The sort orders of a list; undefined if there is no choice. */
  readonly sorting: ChoiceGroup | undefined;
  /** Hidden values that a form sends along. */
  readonly inputs: readonly (readonly [name: string, value: string])[];
  /** The reference price, and its description for visitors who cannot see that it is struck through. */
  readonly formerText: string;
  readonly formerLabel: string;
  /** The price per unit of measure. */
  readonly unitText: string;
  readonly level: number;
  readonly required: boolean;
  readonly checked: boolean;
  readonly autoplay: boolean;
  readonly loop: boolean;
  /** Empty if none is set. */
  readonly tag: string;
  readonly name: string;
  /** The key of a custom field. */
  readonly key: string;
  readonly inputType: string;
  readonly provider: string;
  readonly videoId: string;
  readonly anchorId: string;
  readonly icon: string;
  readonly variant: string;
  readonly productId: string;
}

/** One node of a resolved page, the input of `render`. */
export interface ResolvedNode {
  readonly path: string;
  /** For a list's copies of a node: the path of the node itself, whose rules they share. */
  readonly original?: string;
  readonly type: string;
  readonly style: PerBreakpoint;
  readonly config: PerBreakpoint;
  readonly specials: ResolvedSpecials;
  /** The island's name, and the JSON of the props for its class. */
  readonly island?: { readonly name: string; readonly props: string };
  readonly children: readonly ResolvedNode[];
  /** True for a product element whose product does not exist (any more); it is not shown. */
  readonly isGone?: true;
}
