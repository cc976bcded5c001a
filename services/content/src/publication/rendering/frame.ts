import type { IslandModule } from '@waybill/page';

/** What stands around a store's pages: its header, its footer, and the style sheet of its theme. */
export interface Frame {
  readonly header: string;
  readonly footer: string;
  readonly css: string;
  readonly islands: readonly IslandModule[];
  readonly connectOrigins: readonly string[];
  /** Of the theme's style sheet; null: there is none. */
  readonly theme: { readonly file: string; readonly url: string } | null;
  /** Of the picture that stands for the store, and of its feed where it has articles, as seen from the page. */
  readonly icon: string;
  readonly feed: string | null;
  /** Leads from the page to the store itself, below which each language has its addresses. */
  readonly toStore: string;
  /** Another whenever one of these is. */
  readonly hash: string;
}
