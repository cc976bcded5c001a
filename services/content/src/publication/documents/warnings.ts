import {
  type Block,
  checkReferences,
  type KnownReferences,
  type PageDocument,
  references,
} from '@waybill/page';
import type { Context } from '../../config.ts';
import type { Lookups } from '../rendering/lookups.ts';
import { listPageIds } from './queries.ts';

/** A place in a body, and the reason why it will not be shown. */
export interface Warning {
  pointer: string;
  code: string;
  message: string;
}

/**
 * Returns warnings about references of a document, sent as the `document` of a body, that are valid but will not be
 * shown because their target does not exist. If another service does not answer, its references get no warnings.
 */
export async function findWarnings(
  { db }: Pick<Context, 'db'>,
  storeId: string,
  document: PageDocument,
  lookups: Lookups,
): Promise<Warning[]> {
  const { blocks, productIds, mediaIds, pageIds } = references(document);
  const [apps, products, media, pages] = await Promise.all([
    blocks.size > 0 ? ifKnown(lookups.apps()) : undefined,
    ifKnown(lookups.products([...productIds])),
    ifKnown(lookups.media([...mediaIds])),
    listPageIds(db, storeId, [...pageIds]),
  ]);
  const known: KnownReferences = {
    ...(apps && { apps: new Map([...apps].map(([id, { blocks }]) => [id, blocks as Block[]])) }),
    ...(products && { productIds: new Set(products.keys()) }),
    ...(media && { mediaIds: new Set(media.keys()) }),
    pageIds: pages,
  };
  return toBodyPointers(checkReferences(document, known));
}

/** Converts pointers of problems from the document to the body that contained it. */
export function toBodyPointers<Found extends { pointer: string }>(problems: readonly Found[]): Found[] {
  return problems.map((problem) => ({ ...problem, pointer: `/document${problem.pointer}` }));
}

function ifKnown<Fact>(lookUp: Promise<Fact>): Promise<Fact | undefined> {
  return lookUp.catch(() => undefined);
}
