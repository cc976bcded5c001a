import type { FocalPoint } from './facts.ts';
import type { PerBreakpoint } from './model.ts';

/** Text and shape only: what the renderer turns into HTML without asking anybody. */

export interface Link {
  readonly url: string;
  readonly newTab: boolean;
}

export interface Picture {
  readonly url: string;
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** The asset's own; empty where it has none, or the picture is no asset. */
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
  /** One level below, in a menu. */
  readonly items: readonly Item[];
}

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly disabled: boolean;
  readonly selected?: boolean;
}

/** One of several things to choose from. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Said beside the label. */
  readonly note: string;
  readonly isChosen: boolean;
  /** Choosing it leads to nothing that can be bought, or to something else. */
  readonly isOff: boolean;
  /** What is chosen by following a link. */
  readonly href: Link | undefined;
  readonly src: Picture | undefined;
}

export interface ChoiceGroup {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly Choice[];
}

/** Rich text with its links turned into URLs. */
export interface ResolvedRichText {
  readonly type: string;
  readonly text: string;
  readonly level: number;
  readonly marks: readonly { readonly type: string; readonly href: Link | undefined }[];
  readonly content: readonly ResolvedRichText[];
}

/** The resolved specials of a node; each element reads those that it has. */
export interface ResolvedSpecials {
  readonly text: string;
  readonly alt: string;
  readonly title: string;
  readonly caption: string;
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  /** Where a form posts to; empty: nowhere. */
  readonly action: string;
  /** Of a form: its `formName`. */
  readonly formName: string;
  /** What is wrong with what a visitor has put into a field. */
  readonly problem: string;
  readonly ariaLabel: string;
  readonly fromText: string;
  readonly soldOutText: string;
  readonly emptyText: string;
  /** On the button that closes a menu where it stands over the page. */
  readonly closeText: string;
  readonly doc: ResolvedRichText | undefined;
  /** HTML that the sanitiser wrote. */
  readonly html: string;
  /** RFC 3339; `text` says it in words. */
  readonly timestamp: string;
  /** The pages before and after a list's. */
  readonly previous: Item | undefined;
  readonly next: Item | undefined;
  readonly href: Link | undefined;
  readonly src: Picture | undefined;
  readonly poster: Picture | undefined;
  readonly items: readonly Item[];
  readonly options: readonly Option[];
  readonly groups: readonly ChoiceGroup[];
  /** In which order things are listed; undefined: there is nothing to choose. */
  readonly sorting: ChoiceGroup | undefined;
  /** What a form sends along. */
  readonly inputs: readonly (readonly [name: string, value: string])[];
  /** The price that a price is compared with, and what says so to who cannot see that it is struck through. */
  readonly formerText: string;
  readonly formerLabel: string;
  /** Of a price: what a measure of it costs. */
  readonly unitText: string;
  readonly level: number;
  readonly required: boolean;
  readonly checked: boolean;
  readonly autoplay: boolean;
  readonly loop: boolean;
  /** Empty where nothing is set. */
  readonly tag: string;
  readonly name: string;
  /** Of a custom field. */
  readonly key: string;
  readonly inputType: string;
  readonly provider: string;
  readonly videoId: string;
  readonly anchorId: string;
  readonly icon: string;
  readonly variant: string;
  readonly productId: string;
}

/** One node of a resolved page: what `render` takes. */
export interface ResolvedNode {
  readonly path: string;
  /** Of a list's copies of one node: what they all share the rules of, that node's own path. */
  readonly original?: string;
  readonly type: string;
  readonly style: PerBreakpoint;
  readonly config: PerBreakpoint;
  readonly specials: ResolvedSpecials;
  /** The marker of an island, and the JSON of the props that its class is constructed with. */
  readonly island?: { readonly name: string; readonly props: string };
  readonly children: readonly ResolvedNode[];
  /** A product element whose product is not there (any more): nothing of it is shown. */
  readonly isGone?: true;
}
