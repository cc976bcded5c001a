import type { Block } from '@waybill/page';

/** A block of an installed app, as the insert panel and the trait bar need it. */
export interface CatalogueBlock extends Block {
  readonly appId: string;
  readonly appName: string;
  readonly versionId: string;
  readonly versionNumber: number;
}
