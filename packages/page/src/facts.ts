/** What a page shows of the world, fetched before it is resolved. */
export interface PageFacts {
  /** ISO 4217; the store's. */
  readonly currency: string;
  /** By id; those for sale. A product element whose product is missing shows nothing; others show their authored text. */
  readonly products: ReadonlyMap<string, ProductFacts>;
  /** By media id. */
  readonly media: ReadonlyMap<string, MediaFacts>;
  /** What stands before the path in the store's own URLs of its files, in lower case; the path alone is always one. */
  readonly bases?: readonly string[];
  /** The path of each live page by page id. */
  readonly pages: ReadonlyMap<string, string>;
  /** Published ones by id: those that are listed or linked to. */
  readonly articles?: ReadonlyMap<string, ArticleFacts>;
  /** Where each category of products is that is linked to, by id. */
  readonly categories?: ReadonlyMap<string, string>;
  /** What each list of the page shows, by `listKey`. */
  readonly lists?: ReadonlyMap<string, ListFacts>;
  /** Where the page is among the store's, and what it is of. */
  readonly place?: PlaceFacts;
  /** Of the form that is shown again, which then is all of the page. */
  readonly sent?: SentForm;
  /** Whether a price is compared with the lowest of the 30 days before it, as in the EU, and not with another. */
  readonly comparesLowest?: boolean;
  /** BCP 47; what is said of itself, such as dates and prices, is said in it. English unless it says otherwise. */
  readonly language?: string;
  /** An app's value; undefined where there is none, or the app is not available. */
  readonly appValue?: (
    appId: string,
    key: string,
    owner: 'site' | 'product',
    ownerId: string | undefined,
  ) => string | undefined;
  /** A text in the page's locale, by `TreeNode.entityId` and field; undefined where there is none. */
  readonly translate?: (entityId: string, field: string, text: string) => string | undefined;
}

export interface ProductFacts {
  readonly id: string;
  readonly name: string;
  /** The product's own page, where there is one. */
  readonly url?: string;
  /** The lowest price; null without variants. */
  readonly priceCents: number | null;
  readonly image?: MediaFacts;
  /** All of its pictures, of the product that the page is of. */
  readonly images?: readonly MediaFacts[];
  /** HTML that the sanitiser wrote; of the product that the page is of. */
  readonly description?: string;
  /** What its variants differ in; not there where nobody has said it. */
  readonly options?: readonly OptionFacts[];
  readonly fields?: FieldsFacts;
  readonly variants: readonly VariantFacts[];
}

/** An option of a product; `text` and `texts` say it in the page's locale. */
export interface OptionFacts {
  readonly name: string;
  readonly values: readonly string[];
  readonly text?: string;
  /** Of each value, null where it says itself. */
  readonly texts?: readonly (string | null)[];
}

/** A public value of a custom field, and how it is read. */
export interface FieldFacts {
  readonly type: string;
  readonly value: string | number | boolean | readonly string[];
}

/** By the keys of the fields. */
export type FieldsFacts = Readonly<Record<string, FieldFacts>>;

export interface VariantFacts {
  readonly id: string;
  readonly name: string;
  readonly priceCents: number;
  readonly stock: number;
  /** A value of each of the product's options. */
  readonly options?: Readonly<Record<string, string>>;
  readonly compareAtCents?: number | null;
  readonly lowestPriceCents30Days?: number | null;
  readonly unit?: { readonly amount?: number; readonly measure: string; readonly perAmount: number } | null;
  readonly unitPriceCents?: number | null;
  /** Its own picture, on the product's page. */
  readonly image?: MediaFacts;
}

export interface ArticleFacts {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly excerpt: string;
  /** RFC 3339, UTC. */
  readonly publishedAt: string;
  readonly image?: MediaFacts;
  readonly fields?: FieldsFacts;
  /** HTML that the sanitiser wrote; of the article that the page is of, and of those in a list that shows it. */
  readonly body?: string;
}

/** A page of a list. */
export interface ListFacts {
  /** Of products or articles, in their order; what is not among the facts is left out. */
  readonly ids: readonly string[];
  /** Which page of how many. */
  readonly page: number;
  readonly pages: number;
}

/** Where a page is among the store's. All URLs as seen from it. */
export interface PlaceFacts {
  readonly home: string;
  readonly blog: string;
  readonly cart: string;
  readonly search: string;
  /** From the homepage to the page itself, which has no URL. */
  readonly trail?: readonly { readonly text: string; readonly url?: string }[];
  /** What the page is of, and is bound to all of it. */
  readonly productId?: string;
  readonly articleId?: string;
  /** Of the product: the variant that its address names. */
  readonly variantId?: string;
  readonly category?: CategoryFacts;
  readonly browse?: BrowseFacts;
  /** Of the category that the page is of. */
  readonly categoryFields?: FieldsFacts;
  /** What the visitor searches for. */
  readonly query?: string;
  /** What stands around the `formName` of a form in the address that it posts to; without it forms post nowhere. */
  readonly forms?: { readonly before: string; readonly after: string };
}

/** The category of products that a page is of. */
export interface CategoryFacts {
  readonly id: string;
  readonly name: string;
  /** HTML that the sanitiser wrote. */
  readonly description: string;
  readonly image?: MediaFacts;
  readonly children: readonly { readonly text: string; readonly url: string }[];
}

/** What a visitor has chosen of a category's or a search's products, and what else there is to choose. */
export interface BrowseFacts {
  /** Names and values of the query, but for the page of the list. */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly total: number;
  readonly facets: readonly FacetFacts[];
  /** Whether products are found by words, so that some fit better than others. */
  readonly isSearch: boolean;
}

/** `key` is what a filter is called in the query: `filter[<key>]`. */
export type FacetFacts =
  | {
      readonly key: string;
      readonly name: string;
      readonly values: readonly { readonly value: string; readonly count: number; readonly text?: string }[];
    }
  | { readonly key: 'price'; readonly name: string; readonly min: number; readonly max: number };

/** What a visitor has sent with a form, as it is shown again with what is wrong. */
export interface SentForm {
  /** By the names of fields. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly problems: ReadonlyMap<string, string>;
}

export interface MediaFacts {
  readonly url: string;
  /** Pixels, of images. */
  readonly width?: number;
  readonly height?: number;
  /** Said where the page itself says nothing of it. */
  readonly alt?: string;
  /** What stays in sight where it is cropped, from its left and its top, 0 to 1. */
  readonly focalPoint?: FocalPoint;
  /** Smaller versions of the image. */
  readonly sources?: readonly { readonly url: string; readonly width: number }[];
}

export interface FocalPoint {
  readonly x: number;
  readonly y: number;
}
