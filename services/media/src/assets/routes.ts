import { FocalPoint, idPattern, Name, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging, searchRoute } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

export const kinds = ['image', 'video', 'font'] as const;

/** An asset as the public API shows it: `store-api.md 2.5`, `decisions.md 5`. */
export const Media = Type.Object(
  {
    id: Type.String({ pattern: idPattern('mediaAsset') }),
    name: Type.String(),
    url: Type.String({
      description:
        'The URL of the file. Images that are neither SVG nor animated also have other sizes: `?w=` 320, 480, ' +
        '640, 960, 1280 or 1920, with `&format=` webp, avif, jpeg or png.',
    }),
    folderId: nullable(Type.String()),
    kind: Type.Enum([...kinds]),
    contentType: Type.String({ description: "Determined from the file's bytes." }),
    sizeBytes: Type.Integer({ minimum: 1 }),
    sha256: Type.String({ description: 'The hash of the bytes, in hex.' }),
    width: nullable(Type.Integer({ description: 'In pixels; images only.' })),
    height: nullable(Type.Integer()),
    alt: Type.String({ description: 'The alternative text; pages use it if they set none.' }),
    focalPoint: nullable(FocalPoint),
    trashed: Type.Boolean(),
    trashedAt: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Media' },
);
export type Media = Static<typeof Media>;

export const MediaPatch = Type.Object(
  {
    name: Type.Optional(Name()),
    folderId: Type.Optional(nullable(Type.String({ description: 'Null moves the asset to the root.' }))),
    alt: Type.Optional(Type.String({ maxLength: 500 })),
    focalPoint: Type.Optional(nullable(FocalPoint)),
  },
  { $id: 'MediaPatch' },
);
export type MediaPatch = Static<typeof MediaPatch>;

const ListQuery = Type.Object({
  ...paging,
  folderId: Type.Optional(Type.String({ description: "A folder's ID, or `root` for assets in no folder." })),
  kind: Type.Optional(Type.Enum([...kinds])),
  q: Type.Optional(Type.String({ description: 'Every word must occur in the name.' })),
  trashed: Type.Boolean({ default: false }),
  sort: Type.Enum(['created', 'name', 'size'], { default: 'created' }),
  dir: Type.Enum(['asc', 'desc'], { default: 'desc' }),
});
export type ListQuery = Static<typeof ListQuery>;

export const Item = Type.Object({ media: Media });
const ids = { id: 'mediaAsset' } as const;
const unavailable = [errors.resource_unavailable];
/** `store-api.md 4.6`. */
export const routes = defineRoutes({
  listMedia: {
    method: 'GET',
    path: '/api/v1/media',
    access: { scope: 'media.read' },
    summary: 'List and search media',
    description: 'By name, kind or folder; `trashed=true` lists the trash.',
    query: ListQuery,
    answer: [200, pageSchema('media', Media)],
    errors: unavailable,
  },
  getMedia: {
    method: 'GET',
    path: '/api/v1/media/{id}',
    access: { scope: 'media.read' },
    summary: 'Read an asset',
    description:
      'Its URL and size, and for images the width, height and text. Read the URL again rather than storing it.',
    ids,
    answer: [200, Item],
    errors: unavailable,
  },
  updateMedia: {
    method: 'PATCH',
    path: '/api/v1/media/{id}',
    access: { scope: 'media.write' },
    summary: "Change an asset's name, folder, alt text or focal point",
    description: '`focalPoint` stays visible if a page crops the image. Live pages follow within seconds.',
    ids,
    body: MediaPatch,
    answer: [200, Item],
    errors: unavailable,
  },
  trashMedia: {
    method: 'DELETE',
    path: '/api/v1/media/{id}',
    access: { scope: 'media.write' },
    summary: 'Move an asset to the trash',
    description: 'Frees no quota, and the file is still served, since pages may show it.',
    ids,
    answer: [204, null],
    errors: unavailable,
  },
  restoreMedia: {
    method: 'POST',
    path: '/api/v1/media/{id}/restore',
    access: { scope: 'media.write' },
    summary: 'Restore an asset from the trash',
    description: 'Succeeds if it is already in the library.',
    ids,
    answer: [200, Item],
    errors: unavailable,
  },
  lookUpAssets: {
    method: 'POST',
    path: '/internal/assets/lookup',
    access: 'service',
    summary: 'Look up assets of a store by id, including trashed ones, for other services',
    body: Type.Object({
      storeId: Type.String(),
      ids: Type.Array(Type.String(), { maxItems: 1000 }),
    }),
    answer: [
      200,
      Type.Object({
        assets: Type.Array(
          Type.Object({
            id: Type.String(),
            kind: Type.Enum([...kinds]),
            contentType: Type.String(),
            width: nullable(Type.Integer()),
            height: nullable(Type.Integer()),
            alt: Type.String(),
            focalPoint: nullable(FocalPoint),
          }),
        ),
      }),
    ],
  },
  searchMedia: searchRoute('/internal/assets/search'),
});
