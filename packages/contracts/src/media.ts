import Type, { type Static } from 'typebox';

/** The kinds of things that can use an asset of the media library. */
const mediaUserTypes = [
  'page',
  'article',
  'product',
  'category',
  'section',
  'template',
  'theme',
  'order',
  'customer',
] as const;

/** A thing that shows an asset, or names it in a custom field: `decisions.md 16.2`. */
export const MediaUser = Type.Object({
  type: Type.Enum([...mediaUserTypes]),
  id: Type.String(),
  name: Type.String({ description: 'A name, a title, the number of an order, or the id of a customer.' }),
  live: Type.Boolean({ description: 'Whether visitors see it there.' }),
});
export type MediaUser = Static<typeof MediaUser>;

/** content, catalog and orders: `POST /internal/<service>/media-uses`, a MediaUsesQuery → `{ uses: MediaUse[] }`. */
export const MediaUsesQuery = Type.Object({
  storeId: Type.String(),
  assetIds: Type.Array(Type.String(), { maxItems: 1000 }),
  liveOnly: Type.Boolean(),
  /** Maximum number of users of one kind for each asset. */
  limit: Type.Integer({ minimum: 1, maximum: 1000 }),
});
export type MediaUsesQuery = Static<typeof MediaUsesQuery>;

export const MediaUse = Type.Object({ assetId: Type.String(), ...MediaUser.properties });
export type MediaUse = Static<typeof MediaUse>;
