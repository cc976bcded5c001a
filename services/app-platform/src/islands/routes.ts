import { defineRoutes } from '@waybill/kernel';
import { maxIslands } from '@waybill/page';
import Type from 'typebox';
import { Island } from '../contributions/islands.ts';
import { errors } from '../errors.ts';

/** Maximum number of bytes of a module. */
export const maxModuleBytes = 512 * 1024;

const ids = { orgId: 'organisation', appId: 'app', versionId: 'appVersion' } as const;

const named = Type.Object({
  name: Type.Optional(Type.String({ isRequired: true, description: 'The name of a declared island.' })),
});
const moduleToRead = {
  query: named,
  answer: [200, Type.String()],
  contentType: 'text/javascript',
  errors: [
    errors.not_found,
    errors.island_name_required,
    errors.island_not_found,
    errors.resource_unavailable,
  ],
} as const;

/** `store-api.md 4.11, 7.3`, `decisions.md 7.4, 7.8, 14.4`. */
export const routes = defineRoutes({
  putIslands: {
    method: 'PUT',
    path: '/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/islands',
    access: 'user',
    summary: 'Declare the islands of a draft',
    description:
      `Replaces the declaration: at most ${maxIslands} islands, each named by a lower-case slug. Islands that ` +
      'keep their name keep their module.',
    ids,
    body: Type.Object({
      islands: Type.Array(Type.Object({}, { additionalProperties: true, description: '`{ name }`' })),
    }),
    answer: [200, Type.Object({ islands: Type.Array(Island) })],
    errors: [
      errors.not_draft,
      errors.too_many_islands,
      errors.invalid_island_name,
      errors.duplicate_island_name,
    ],
  },
  postModule: {
    method: 'POST',
    path: '/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/islands/module',
    access: 'user',
    summary: "Upload an island's module",
    description:
      'The body is the text of a JavaScript module. It is stored under the SHA-256 of its bytes and never ' +
      'changes; another upload gives the island another module.',
    ids,
    query: named,
    streamedBodies: { 'text/javascript': Type.String() },
    idempotency: 'handler',
    answer: [201, Type.Object({ island: Island })],
    errors: [
      errors.not_draft,
      errors.island_name_required,
      errors.island_not_found,
      errors.island_module_not_text,
      errors.island_module_too_large,
      errors.image_storage_unavailable,
    ],
  },
  readModule: {
    method: 'GET',
    path: '/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/islands/module',
    access: 'user',
    summary: "Read an island's module, whatever the version's state",
    description:
      'The uploaded bytes, for members of the organisation. Pages load the module from `/islands/{file}`.',
    ids,
    ...moduleToRead,
  },
  reviewModule: {
    method: 'GET',
    path: '/api/review/versions/{versionId}/islands/module',
    access: 'user',
    summary: "Read an island's module as a reviewer",
    ...moduleToRead,
    description: 'The bytes that stores would run, before they are approved.',
    errors: [errors.reviewer_required, ...moduleToRead.errors],
  },
  getModule: {
    method: 'GET',
    path: '/islands/{file}',
    access: 'public',
    summary: "Download an island's module: `<sha256>.js`",
    description:
      'Available from the first approval of a version that contains it. Never changes, so it can be cached ' +
      'forever.',
    answer: [200, Type.String()],
    contentType: 'text/javascript',
    errors: [errors.not_found, errors.resource_unavailable],
  },
  getDevelopmentModule: {
    method: 'GET',
    path: '/islands/dev/{storeId}/{file}',
    access: 'public',
    summary: 'Download an unreviewed module for pages of a development store: `<sha256>.js`',
    description:
      'Available while the store has a version with this module installed by its `versionId`, and for ten ' +
      'minutes after that version is replaced.',
    ids: { storeId: 'store' },
    answer: [200, Type.String()],
    contentType: 'text/javascript',
    errors: [errors.not_found, errors.resource_unavailable],
  },
});
