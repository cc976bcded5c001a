import type { Block } from '@waybill/page';

/** A block of an installed app, with the data for the insert panel and the trait bar. */
export interface CatalogueBlock extends Block {
  readonly appId: string;
  readonly appName: string;
  readonly versionId: string;
  readonly versionNumber: number;
}
