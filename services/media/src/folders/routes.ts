import { idPattern, Name, Timestamp } from '@waybill/contracts';
import { defineRoutes, listSchema, nullable } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';

/** A folder with its subfolders, ordered by name: `decisions.md 5`. */
export interface MediaFolder {
  id: string;
  name: string;
  parentId: string | null;
  children: MediaFolder[];
  createdAt: string;
  updatedAt: string;
}

const MediaFolder = Type.Unsafe<MediaFolder>(
  Type.Object(
    {
      id: Type.String({ pattern: idPattern('mediaFolder') }),
      name: Type.String(),
      parentId: nullable(Type.String({ description: 'Null at the root.' })),
      children: Type.Array(Type.Unsafe({ $ref: '#/components/schemas/MediaFolder' })),
      createdAt: Timestamp,
      updatedAt: Timestamp,
    },
    { $id: 'MediaFolder' },
  ),
);

const FolderInput = Type.Object(
  {
    name: Name(),
    parentId: Type.Optional(nullable(Type.String({ description: 'Null or omitted for the root.' }))),
  },
  { $id: 'MediaFolderInput' },
);

const FolderPatch = Type.Object(
  {
    name: Type.Optional(FolderInput.properties.name),
    parentId: Type.Optional(nullable(Type.String({ description: 'Null moves the folder to the root.' }))),
  },
  { $id: 'MediaFolderPatch' },
);

const ids = { id: 'mediaFolder' } as const;

/** `store-api.md 4.6`, `decisions.md 16.1`. The route for a single folder exists for its ETag (`decisions.md 11.1`). */
export const routes = defineRoutes({
  listMediaFolders: {
    method: 'GET',
    path: '/api/v1/media-folders',
    access: { scope: 'media.read' },
    summary: 'Read the folder tree',
    description: 'The folders at the root, each with its subfolders; `total` counts all folders.',
    answer: [200, listSchema('mediaFolders', MediaFolder)],
    errors: [errors.resource_unavailable],
  },
  createMediaFolder: {
    method: 'POST',
    path: '/api/v1/media-folders',
    access: { scope: 'media.write' },
    summary: 'Create a folder',
    description:
      'At most 10,000 folders per store, at most 20 levels deep. An unknown parent is `not_found`.',
    body: FolderInput,
    answer: [201, Type.Object({ mediaFolder: MediaFolder })],
    errors: [errors.not_found, errors.duplicate_name, errors.too_many_folders, errors.resource_unavailable],
  },
  getMediaFolder: {
    method: 'GET',
    path: '/api/v1/media-folders/{id}',
    access: { scope: 'media.read' },
    summary: 'Read a folder, with those in it',
    description: 'Its ETag does not cover `children`: a `304` says nothing about them.',
    ids,
    computed: ['mediaFolder.children'],
    isRevalidated: true,
    answer: [200, Type.Object({ mediaFolder: MediaFolder })],
    errors: [errors.resource_unavailable],
  },
  updateMediaFolder: {
    method: 'PATCH',
    path: '/api/v1/media-folders/{id}',
    access: { scope: 'media.write' },
    summary: 'Rename a folder, or move it with its contents',
    description:
      'An unknown parent is `not_found`; the folder itself or one of its subfolders as parent is ' +
      '`cycle_detected`.',
    ids,
    body: FolderPatch,
    answer: [200, Type.Object({ mediaFolder: MediaFolder })],
    errors: [
      errors.not_found,
      errors.cycle_detected,
      errors.duplicate_name,
      errors.too_many_folders,
      errors.resource_unavailable,
    ],
  },
  deleteMediaFolder: {
    method: 'DELETE',
    path: '/api/v1/media-folders/{id}',
    access: { scope: 'media.write' },
    summary: 'Delete an empty folder',
    description: 'Assets in the trash still count as contents of their folder.',
    ids,
    answer: [204, null],
    errors: [errors.folder_not_empty, errors.resource_unavailable],
  },
});
