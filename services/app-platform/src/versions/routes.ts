import { AppPayments, ConnectOrigins, idPattern, permissions, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { Island } from '../contributions/islands.ts';
import { Block } from '../contributions/manifest.ts';
import { errors } from '../errors.ts';

export const versionStates = ['draft', 'submitted', 'approved', 'rejected', 'withdrawn'] as const;
export type VersionState = (typeof versionStates)[number];

export const AppVersion = Type.Object(
  {
    id: Type.String({ pattern: idPattern('appVersion') }),
    appId: Type.String({ pattern: idPattern('app') }),
    number: Type.Integer({ minimum: 1, description: '1, 2, … within the app.' }),
    state: Type.Enum([...versionStates]),
    scopes: Type.Array(Type.Enum([...permissions])),
    connectOrigins: ConnectOrigins,
    payments: nullable(AppPayments),
    rejectionReason: nullable(Type.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    submittedAt: nullable(Timestamp),
    reviewedAt: nullable(Timestamp),
    withdrawnAt: nullable(Timestamp),
  },
  { $id: 'AppVersion' },
);
export type AppVersion = Static<typeof AppVersion>;

export const AppVersionDetails = Type.Object(
  { ...AppVersion.properties, blocks: Type.Array(Block), islands: Type.Array(Island) },
  { $id: 'AppVersionDetails' },
);
export type AppVersionDetails = Static<typeof AppVersionDetails>;

export const VersionItem = Type.Object({ version: AppVersion });
const app = { orgId: 'organisation', appId: 'app' } as const;
const version = { ...app, versionId: 'appVersion' } as const;

/** `store-api.md 4.11, 7.4`, `decisions.md 7.3, 7.4, 14.7`. */
export const routes = defineRoutes({
  listVersions: {
    method: 'GET',
    path: '/api/orgs/{orgId}/apps/{appId}/versions',
    access: 'user',
    summary: "List an app's versions, newest first",
    description: 'In any state; a version contains the scopes, blocks and islands of an app.',
    ids: app,
    query: Type.Object(paging),
    answer: [200, pageSchema('versions', AppVersion)],
  },
  createVersion: {
    method: 'POST',
    path: '/api/orgs/{orgId}/apps/{appId}/versions',
    access: 'user',
    summary: 'Create a draft version, empty or as a copy of another version',
    description:
      'With `from`, the new version copies that version’s blocks and islands, with their modules, and its ' +
      'scopes and connect origins if the body omits them.',
    ids: app,
    body: Type.Object({
      from: Type.Optional(
        Type.String({ description: 'The ID of a version of the same app, in any state.', maxLength: 64 }),
      ),
      scopes: Type.Optional(
        Type.Array(Type.Enum([...permissions]), {
          description: 'The permissions it requests from merchants. Required without `from`.',
        }),
      ),
      connectOrigins: Type.Optional(
        Type.Array(Type.String({ maxLength: 255 }), {
          maxItems: 10,
          description:
            "The origins that its islands may connect to, besides the page's own: for example " +
            '`https://api.example.com`. A draft may include `http` origins on loopback, which submit rejects.',
        }),
      ),
      payments: Type.Optional(nullable(AppPayments)),
    }),
    answer: [201, VersionItem],
    errors: [errors.too_many_versions],
  },
  getVersion: {
    method: 'GET',
    path: '/api/orgs/{orgId}/apps/{appId}/versions/{versionId}',
    access: 'user',
    summary: 'Read a version with its blocks and islands',
    description: 'The complete version: its requests, blocks and islands, in any state.',
    ids: version,
    answer: [200, Type.Object({ version: AppVersionDetails })],
  },
  submitVersion: {
    method: 'POST',
    path: '/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/submit',
    access: 'user',
    summary: 'Submit a draft for review',
    description:
      'Runs every check of the saved blocks and islands again; every connect origin must be https.',
    ids: version,
    // Content is asked before the transaction begins.
    idempotency: 'handler',
    answer: [200, VersionItem],
    errors: [
      errors.not_draft,
      errors.block_vocabulary_unavailable,
      errors.invalid_block,
      errors.invalid_block_subtree,
      errors.unknown_element_type,
      errors.unknown_island,
      errors.unknown_trait_widget,
      errors.unknown_write_key,
      errors.island_no_module,
    ],
  },
  recallVersion: {
    method: 'POST',
    path: '/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/recall',
    access: 'user',
    summary: 'Turn a submitted version back into a draft',
    description: 'Removes it from the reviewers’ queue. `invalid_state` if a reviewer has already decided.',
    ids: version,
    answer: [200, VersionItem],
    errors: [errors.invalid_state],
  },
  withdrawVersion: {
    method: 'POST',
    path: '/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/withdraw',
    access: 'user',
    summary: 'Withdraw an approved version',
    description: 'No store can newly install it; stores that run it continue to do so.',
    ids: version,
    answer: [200, VersionItem],
    errors: [errors.invalid_state],
  },
  restoreVersion: {
    method: 'DELETE',
    path: '/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/withdraw',
    access: 'user',
    summary: 'Restore a withdrawn version',
    description: 'Stores can install it again. Stores that already had it were not affected.',
    ids: version,
    answer: [200, VersionItem],
    errors: [errors.invalid_state],
  },
});
