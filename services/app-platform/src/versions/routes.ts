import { AppPayments, ConnectOrigins, idPattern, permissions, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pagesOf, paging } from '@waybill/kernel';
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
    description: 'In whatever state; a version holds the scopes, blocks and islands of an app.',
    ids: app,
    query: Type.Object(paging),
    answer: [200, pagesOf('versions', AppVersion)],
  },
  createVersion: {
    method: 'POST',
    path: '/api/orgs/{orgId}/apps/{appId}/versions',
    access: 'user',
    summary: 'Create a draft version, empty or as a copy of another version',
    description:
      'With `from` it has the blocks and the islands, with their modules, of that version of the app, and its scopes ' +
      'and connect origins where the body names none.',
    ids: app,
    body: Type.Object({
      from: Type.Optional(
        Type.String({ description: 'A version of the same app, in whatever state.', maxLength: 64 }),
      ),
      scopes: Type.Optional(
        Type.Array(Type.Enum([...permissions]), {
          description: 'What it asks merchants for. Required without `from`.',
        }),
      ),
      connectOrigins: Type.Optional(
        Type.Array(Type.String({ maxLength: 255 }), {
          maxItems: 10,
          description:
            "Where its islands may connect to, beside the page's own origin: origins such as " +
            '`https://api.example.com`. A draft may name `http` ones on loopback, which submit refuses.',
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
    description: 'Whole: what it asks for, every block and every island, whatever its state.',
    ids: version,
    answer: [200, Type.Object({ version: AppVersionDetails })],
  },
  submitVersion: {
    method: 'POST',
    path: '/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/submit',
    access: 'user',
    summary: 'Submit a draft for review',
    description:
      'Every check of the blocks and of the islands is made again on what is saved; every connect origin must be https.',
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
    description: 'It leaves the reviewers’ queue. One that a reviewer has decided about: `invalid_state`.',
    ids: version,
    answer: [200, VersionItem],
    errors: [errors.invalid_state],
  },
  withdrawVersion: {
    method: 'POST',
    path: '/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/withdraw',
    access: 'user',
    summary: 'Withdraw an approved version',
    description: 'No new install lands on it; stores that run it go on running it.',
    ids: version,
    answer: [200, VersionItem],
    errors: [errors.invalid_state],
  },
  restoreVersion: {
    method: 'DELETE',
    path: '/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/withdraw',
    access: 'user',
    summary: 'Restore a withdrawn version',
    description: 'It can be installed again. Stores that have it were never without it.',
    ids: version,
    answer: [200, VersionItem],
    errors: [errors.invalid_state],
  },
});
