import { idPattern, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { App } from '../apps/routes.ts';
import { errors } from '../errors.ts';
import { AppVersion, AppVersionDetails, VersionItem, versionStates } from '../versions/routes.ts';

const app = Type.Pick(App, ['id', 'orgId', 'name', 'suspendedAt']);

export const ReviewItem = Type.Object({ ...AppVersion.properties, app }, { $id: 'ReviewItem' });
export type ReviewItem = Static<typeof ReviewItem>;

const names = (what: string) =>
  Type.Object({
    added: Type.Array(Type.String(), { description: what }),
    removed: Type.Array(Type.String()),
    changed: Type.Array(Type.String()),
  });

const subtree = (description: string) => Type.Optional(Type.Unknown({ description }));

const BlockDifferences = Type.Object({
  key: Type.String(),
  differences: Type.Array(
    Type.Object({
      pointer: Type.String({
        description:
          'A pointer within the block (RFC 6901); list items such as nodes are identified by their IDs, keys or ' +
          'names, and removed items by their position in the earlier version.',
      }),
      before: subtree('Absent if it was added.'),
      after: subtree('Absent if it was removed.'),
      isCut: Type.Boolean({ description: 'Whether a subtree was too large to show.' }),
    }),
  ),
  hasMore: Type.Boolean({ description: 'Whether there are more differences than listed.' }),
});
export type BlockDifferences = Static<typeof BlockDifferences>;

const difference = Type.Object({ added: Type.Array(Type.String()), removed: Type.Array(Type.String()) });

export const Changes = Type.Object(
  {
    since: nullable(
      Type.Object({
        versionId: Type.String({ pattern: idPattern('appVersion') }),
        number: Type.Integer(),
      }),
    ),
    scopes: difference,
    connectOrigins: difference,
    blocks: names('Keys of blocks.'),
    blockChanges: Type.Array(BlockDifferences, { description: 'The differences within changed blocks.' }),
    islands: names('Names of islands; `changed` lists islands with another module.'),
    modules: Type.Array(
      Type.Object({
        island: Type.String(),
        before: nullable(Type.String()),
        after: nullable(Type.String()),
      }),
      { description: 'The SHA-256 of the modules of changed islands.' },
    ),
  },
  {
    $id: 'VersionChanges',
    description:
      'Compared with the newest approved version with a lower number; without one, everything counts as added.',
  },
);
export type Changes = Static<typeof Changes>;

const ReviewedOrg = Type.Object(
  {
    id: Type.String({ pattern: idPattern('organisation') }),
    name: Type.String(),
    createdAt: Timestamp,
    members: Type.Integer({ minimum: 1 }),
    apps: Type.Integer({ minimum: 1 }),
    approvals: Type.Integer({
      minimum: 0,
      description: 'The number of approved versions over all its apps.',
    }),
    rejections: Type.Integer({
      minimum: 0,
      description: 'The number of rejected versions over all its apps.',
    }),
  },
  { $id: 'ReviewedOrg' },
);
export type ReviewedOrg = Static<typeof ReviewedOrg>;

const ReviewDetails = Type.Object({
  ...AppVersionDetails.properties,
  app,
  org: ReviewedOrg,
  changes: Changes,
});

const Drawn = nullable(Type.Object({ html: Type.String(), css: Type.String() }));
export const BlockRenderings = Type.Object(
  {
    key: Type.String(),
    name: Type.String(),
    before: Drawn,
    after: Drawn,
    isCut: Type.Boolean({ description: 'Whether one of the two is too large to show.' }),
  },
  {
    $id: 'BlockRenderings',
    description:
      'From the newest approved version with a lower number, and from this version; null if the version has no ' +
      'such block.',
  },
);
export type BlockRenderings = Static<typeof BlockRenderings>;

const AppItem = Type.Object({ app: App });

/** `decisions.md 7.5, 14.9`. Has no `ids`, because `reviewer_required` takes precedence over errors in the path. */
export const routes = defineRoutes({
  listReviews: {
    method: 'GET',
    path: '/api/review/versions',
    access: 'user',
    summary: 'List the versions for review, the earliest submission first',
    description: 'Without `state`, all versions except drafts.',
    query: Type.Object({
      ...paging,
      state: Type.Optional(Type.Enum([...versionStates])),
    }),
    answer: [200, pageSchema('versions', ReviewItem)],
    errors: [errors.reviewer_required],
  },
  getReview: {
    method: 'GET',
    path: '/api/review/versions/{versionId}',
    access: 'user',
    summary: 'Read a version with its contributions and its changes since the last approved version',
    description: 'The facts for a review decision. `changes` compares with the last approved version.',
    answer: [200, Type.Object({ version: ReviewDetails })],
    errors: [errors.reviewer_required],
  },
  listRenderings: {
    method: 'GET',
    path: '/api/review/versions/{versionId}/renderings',
    access: 'user',
    summary: 'Render the blocks of a version beside those of the approved version',
    description:
      'The HTML and style sheet of each rendering, without the parts common to all pages: keys in braces stand ' +
      'for the app’s values, a sample product for the one that a merchant chooses; islands do not run. The ' +
      'content is untrusted, so show it in a sandboxed frame.',
    answer: [200, Type.Object({ renderings: Type.Array(BlockRenderings) })],
    errors: [errors.reviewer_required, errors.resource_unavailable],
  },
  approveVersion: {
    method: 'POST',
    path: '/api/review/versions/{versionId}/approve',
    access: 'user',
    summary: 'Approve a submitted version',
    description: 'Stores whose grant covers its requests are updated to it; the others must consent first.',
    answer: [200, VersionItem],
    errors: [errors.reviewer_required, errors.invalid_state],
  },
  rejectVersion: {
    method: 'POST',
    path: '/api/review/versions/{versionId}/reject',
    access: 'user',
    summary: 'Reject a submitted version for good',
    description: 'The reason is mailed to its organisation. Fixes are submitted as a new version.',
    body: Type.Object({ reason: Type.String({ minLength: 1, maxLength: 5000 }) }),
    answer: [200, VersionItem],
    errors: [errors.reviewer_required, errors.invalid_state],
  },
  suspendApp: {
    method: 'POST',
    path: '/api/review/apps/{appId}/suspend',
    access: 'user',
    summary: 'Suspend an app in every store',
    description: 'Its tokens stop working and its blocks disappear from pages; nothing is deleted.',
    answer: [200, AppItem],
    errors: [errors.reviewer_required],
  },
  unsuspendApp: {
    method: 'DELETE',
    path: '/api/review/apps/{appId}/suspend',
    access: 'user',
    summary: 'Restore a suspended app',
    description: 'Its tokens, blocks and islands work again in every store within seconds.',
    answer: [200, AppItem],
    errors: [errors.reviewer_required],
  },
});
