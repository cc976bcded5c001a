import { Email, idPattern, Name, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

export const App = Type.Object(
  {
    id: Type.String({ pattern: idPattern('app'), description: 'Also its `client_id`.' }),
    orgId: Type.String({ pattern: idPattern('organisation') }),
    name: Type.String(),
    redirectUris: Type.Array(Type.String()),
    description: Type.String(),
    website: nullable(Type.String()),
    supportEmail: nullable(Type.String()),
    privacyUrl: nullable(Type.String()),
    installUrl: nullable(Type.String()),
    isListed: Type.Boolean(),
    iconUrl: nullable(Type.String()),
    webhookUrl: nullable(Type.String()),
    webhookSecretIssuedAt: nullable(Timestamp),
    previousWebhookSecretExpiresAt: nullable(
      Type.String({
        format: 'date-time',
        description:
          'The time until which calls are also signed with the previous secret. Null if there is no overlap.',
      }),
    ),
    suspendedAt: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'App' },
);
export type App = Static<typeof App>;

export const AppInput = Type.Object({
  name: Name(),
  redirectUris: Type.Optional(
    Type.Array(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description:
          'An absolute https URL, or an http URL on loopback, without wildcard or fragment; compared exactly as ' +
          'written.',
      }),
      { maxItems: 20 },
    ),
  ),
  webhookUrl: Type.Optional(
    nullable(
      Type.String({
        description:
          'The URL called when the app is installed, updated, disabled, enabled or uninstalled: http or https, ' +
          'without credentials, at most 2,048 characters. Also requires a `webhook-secret`.',
      }),
    ),
  ),
});
export type AppInput = Static<typeof AppInput>;

const defineAddress = (description: string) =>
  nullable(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: `${description} An https URL, or an http URL on loopback.`,
    }),
  );

/** The description of an app in the directory, written by its developers. */
const Listing = Type.Object({
  description: Type.String({ maxLength: 2000 }),
  website: defineAddress('The app’s website.'),
  supportEmail: nullable(Email),
  privacyUrl: defineAddress('The app’s privacy policy.'),
  installUrl: defineAddress('The page where the app itself starts an install.'),
  isListed: Type.Boolean({
    description: 'Whether the directory lists the app while one of its versions is approved.',
  }),
});

export const AppChange = Type.Partial(Type.Object({ ...AppInput.properties, ...Listing.properties }));
export type AppChange = Static<typeof AppChange>;

export const AppItem = Type.Object({ app: App });
const WithSecret = Type.Object({
  app: App,
  clientSecret: Type.String({ description: 'Shown only once: only its SHA-256 is stored.' }),
});
const org = { orgId: 'organisation' } as const;
const app = { orgId: 'organisation', appId: 'app' } as const;

/** `decisions.md 7.3, 14.2, 14.5`. */
export const routes = defineRoutes({
  listApps: {
    method: 'GET',
    path: '/api/orgs/{orgId}/apps',
    access: 'user',
    summary: "List an organisation's apps, newest first",
    description: 'Includes each app’s directory entry, but no secrets.',
    ids: org,
    query: Type.Object(paging),
    answer: [200, pageSchema('apps', App)],
  },
  createApp: {
    method: 'POST',
    path: '/api/orgs/{orgId}/apps',
    access: 'user',
    summary: 'Create an app',
    description: 'Only this answer contains the client secret.',
    ids: org,
    body: AppInput,
    idempotency: 'handler',
    answer: [201, WithSecret],
    errors: [errors.blocked_url, errors.too_many_apps],
  },
  getApp: {
    method: 'GET',
    path: '/api/orgs/{orgId}/apps/{appId}',
    access: 'user',
    summary: 'Read an app',
    description:
      'Its directory entry, redirect addresses and webhook; never its secrets. Its ETag does not cover ' +
      '`previousWebhookSecretExpiresAt`: a `304` says nothing about it.',
    ids: app,
    computed: ['app.previousWebhookSecretExpiresAt'],
    isRevalidated: true,
    answer: [200, AppItem],
  },
  changeApp: {
    method: 'PATCH',
    path: '/api/orgs/{orgId}/apps/{appId}',
    access: 'user',
    summary: 'Change an app and its directory entry',
    description:
      'Omitted fields keep their values. The directory entry changes at once; blocks and islands change with ' +
      'versions.',
    ids: app,
    body: AppChange,
    idempotency: 'handler',
    answer: [200, AppItem],
    errors: [errors.blocked_url],
  },
  replaceClientSecret: {
    method: 'POST',
    path: '/api/orgs/{orgId}/apps/{appId}/client-secret',
    access: 'user',
    summary: 'Replace the client secret',
    description: 'The old secret stops working at once; issued tokens continue to work.',
    ids: app,
    answer: [200, WithSecret],
  },
  issueWebhookSecret: {
    method: 'POST',
    path: '/api/orgs/{orgId}/apps/{appId}/webhook-secret',
    access: 'user',
    summary: "Create or rotate the signing secret of the app's webhook",
    description:
      'Only this answer contains the secret. During the overlap, `X-WB-Signature` is made with the old secret, ' +
      '`X-WB-Signature-Next` with the new one, and `webhook-signature` contains both; afterwards only the new ' +
      'secret is used. `409 invalid_state` during an earlier overlap, unless `overlapHours` is 0.',
    ids: app,
    body: Type.Object({
      overlapHours: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 168,
          description: '24 by default; with 0 the old secret ends at once.',
        }),
      ),
    }),
    isBodyOptional: true,
    answer: [
      200,
      Type.Object({
        app: App,
        secret: Type.String({ pattern: '^whsec_', examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'] }),
      }),
    ],
    errors: [errors.invalid_state, errors.resource_unavailable],
  },
  findAppOfMember: {
    method: 'POST',
    path: '/internal/apps/member',
    access: 'service',
    summary: 'Read an app for a member of its organisation; 404 for others',
    body: Type.Object({ orgId: Type.String(), appId: Type.String(), userId: Type.String() }),
    answer: [200, Type.Object({ app: Type.Pick(App, ['id', 'name']) })],
  },
  listAppNames: {
    method: 'POST',
    path: '/internal/apps/names',
    access: 'service',
    summary: 'Look up the names of apps, including suspended ones',
    body: Type.Object({ ids: Type.Array(Type.String(), { maxItems: 200 }) }),
    answer: [200, Type.Object({ apps: Type.Array(Type.Pick(App, ['id', 'name'])) })],
  },
});
