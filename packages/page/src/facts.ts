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
  readonly variants: readonly VariantFacts[];
}

export interface VariantFacts {
  readonly id: string;
  readonly name: string;
  readonly priceCents: number;
  readonly stock: number;
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
