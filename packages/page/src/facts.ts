/** The data that a page shows, fetched before the page is resolved. */
export interface PageFacts {
  /** The store's currency, ISO 4217. */
  readonly currency: string;
  /**
   * Products for sale, by id. A product element whose product is missing shows nothing; other elements show their
   * authored text.
   */
  readonly products: ReadonlyMap<string, ProductFacts>;
  /** By media id. */
  readonly media: ReadonlyMap<string, MediaFacts>;
  /** Prefixes before the path in the store's own file URLs, in lower case; a URL without any is always accepted. */
  readonly bases?: readonly string[];
  /** The path of each live page by page id. */
  readonly pages: ReadonlyMap<string, string>;
  /** Published articles that are listed or linked to, by id. */
  readonly articles?: ReadonlyMap<string, ArticleFacts>;
  /** The URL of each product category that is linked to, by id. */
  readonly categories?: ReadonlyMap<string, string>;
  /** The contents of each list of the page, by `listKey`. */
  readonly lists?: Pick<ReadonlyMap<string, ListFacts>, 'get'>;
  /** The page's place within the store, and its subject. */
  readonly place?: PlaceFacts;
  /** The submitted form that is shown again; the page then shows only that form. */
  readonly sent?: SentForm;
  /**
   * Whether a price is compared with the lowest one of the previous 30 days, as in the EU, instead of another price.
   */
  readonly comparesLowest?: boolean;
  /** BCP 47 tag. Generated texts such as dates and prices are written in this language, English by default. */
  readonly language?: string;
  /** Returns an app's value; undefined if there is none or the app is not available. */
  readonly appValue?: (
    appId: string,
    key: string,
    owner: 'site' | 'product',
    ownerId: string | undefined,
  ) => string | undefined;
  /** Returns a text in the page's locale, by `TreeNode.entityId` and field; undefined if there is none. */
  readonly translate?: (entityId: string, field: string, text: string) => string | undefined;
}

export interface ProductFacts {
  readonly id: string;
  readonly name: string;
  /** The URL of the product's own page, if it has one. */
  readonly url?: string;
  /** The lowest price; null without variants. */
  readonly priceCents: number | null;
  readonly image?: MediaFacts;
  /** All pictures of the product; only set for the product that is the page's subject. */
  readonly images?: readonly MediaFacts[];
  /** HTML that the sanitiser wrote; only set for the product that is the page's subject. */
  readonly description?: string;
  /** The options in which the variants differ; missing if nobody has entered any. */
  readonly options?: readonly OptionFacts[];
  readonly fields?: FieldsFacts;
  readonly variants: readonly VariantFacts[];
}

/** An option of a product; `text` and `texts` are its name and values in the page's locale. */
export interface OptionFacts {
  readonly name: string;
  readonly values: readonly string[];
  readonly text?: string;
  /** A translation for each value; null for a value that is not translated. */
  readonly texts?: readonly (string | null)[];
}

/** A public value of a custom field, and its type. */
export interface FieldFacts {
  readonly type: string;
  readonly value: string | number | boolean | readonly string[];
}

/** By field key. */
export type FieldsFacts = Readonly<Record<string, FieldFacts>>;

export interface VariantFacts {
  readonly id: string;
  readonly name: string;
  readonly priceCents: number;
  readonly stock: number;
  /** The variant's value for each of the product's options. */
  readonly options?: Readonly<Record<string, string>>;
  readonly compareAtCents?: number | null;
  readonly lowestPriceCents30Days?: number | null;
  readonly unit?: { readonly amount?: number; readonly measure: string; readonly perAmount: number } | null;
  readonly unitPriceCents?: number | null;
  /** The variant's own picture, on the product's page. */
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
  /** HTML that the sanitiser wrote; only set for the page's article and for articles in a list that shows the body. */
  readonly body?: string;
}

/** One page of a list. */
export interface ListFacts {
  /** Ids of products or articles in their order; ids that are missing from the facts are skipped. */
  readonly ids: readonly string[];
  /** The number of this page; `pages` is the total. */
  readonly page: number;
  readonly pages: number;
}

/** The page's place within the store. All URLs are relative to the page. */
export interface PlaceFacts {
  readonly home: string;
  readonly blog: string;
  readonly cart: string;
  readonly search: string;
  /** From the homepage to the page itself, which has no URL. */
  readonly trail?: readonly { readonly text: string; readonly url?: string }[];
  /** The page's subject, to which its elements are bound. */
  readonly productId?: string;
  readonly articleId?: string;
  /** The product's variant that the address names. */
  readonly variantId?: string;
  readonly category?: CategoryFacts;
  readonly browse?: BrowseFacts;
  /** Custom fields of the category that is the page's subject. */
  readonly categoryFields?: FieldsFacts;
  /** The visitor's search query. */
  readonly query?: string;
  /** The parts of a form's post address before and after its `formName`; without them forms post nowhere. */
  readonly forms?: { readonly before: string; readonly after: string };
}

/** The product category that is a page's subject. */
export interface CategoryFacts {
  readonly id: string;
  readonly name: string;
  /** HTML that the sanitiser wrote. */
  readonly description: string;
  readonly image?: MediaFacts;
  readonly children: readonly { readonly text: string; readonly url: string }[];
}

/** A visitor's choices among the products of a category or a search, and the choices still available. */
export interface BrowseFacts {
  /** Names and values of the query, without the page of the list. */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly total: number;
  readonly facets: readonly FacetFacts[];
  /** Whether products are found by words, so that they can be sorted by relevance. */
  readonly isSearch: boolean;
}

/** `key` names the filter in the query: `filter[<key>]`. */
export type FacetFacts =
  | {
      readonly key: string;
      readonly name: string;
      readonly values: readonly { readonly value: string; readonly count: number; readonly text?: string }[];
    }
  | { readonly key: 'price'; readonly name: string; readonly min: number; readonly max: number };

/** The values that a visitor has sent with a form, shown again together with their problems. */
export interface SentForm {
  /** By field name. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly problems: ReadonlyMap<string, string>;
}

export interface MediaFacts {
  readonly url: string;
  /** Size in pixels; only for images. */
  readonly width?: number;
  readonly height?: number;
  /** Used if the page itself gives no alternative text. */
  readonly alt?: string;
  /** The point that stays visible when the image is cropped, as shares from the left and the top, 0 to 1. */
  readonly focalPoint?: FocalPoint;
  /** Smaller versions of the image. */
  readonly sources?: readonly { readonly url: string; readonly width: number }[];
}

export interface FocalPoint {
  readonly x: number;
  readonly y: number;
}
