import type { IslandModule } from '@waybill/page';

/** The layout of a store's pages: its header, its footer, and the style sheet of its theme. */
export interface Layout {
  readonly header: string;
  readonly footer: string;
  readonly css: string;
  readonly islands: readonly IslandModule[];
  readonly connectOrigins: readonly string[];
  /** The theme's style sheet; null when there is none. */
  readonly theme: { readonly file: string; readonly url: string } | null;
  /** The addresses, relative to the page, of the store's icon, and of its feed if it has articles. */
  readonly icon: string;
  readonly feed: string | null;
  /** Path from the page to the store, which contains the addresses of each language. */
  readonly toStore: string;
  /** Changes with any of these. */
  readonly hash: string;
}
