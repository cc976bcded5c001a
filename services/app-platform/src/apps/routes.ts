import { Email, idPattern, Name, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pagesOf, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

export const App = Type.Object(
  {
    id: Type.String({ pattern: idPattern('app'), description: 'Its `client_id` too.' }),
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
        description: 'Until when calls are signed with the secret before as well. Null: they are not.',
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
          'An absolute https URL, or an http one on loopback, without wildcard or fragment; compared as it is written.',
      }),
      { maxItems: 20 },
    ),
  ),
  webhookUrl: Type.Optional(
    nullable(
      Type.String({
        description:
          'Where it is called when it is installed, updated, disabled, enabled or uninstalled: http or https, no ' +
          'credentials in it, at most 2,048 characters. It needs a `webhook-secret` besides.',
      }),
    ),
  ),
});
export type AppInput = Static<typeof AppInput>;

const addressOf = (description: string) =>
  nullable(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: `${description} An https URL, or an http one on loopback.`,
    }),
  );

/** The description of an app in the directory, written by its developers. */
const Listing = Type.Object({
  description: Type.String({ maxLength: 2000 }),
  website: addressOf('About the app.'),
  supportEmail: nullable(Email),
  privacyUrl: addressOf('What it does with data.'),
  installUrl: addressOf('Where it begins an install by itself.'),
  isListed: Type.Boolean({
    description: 'Whether the directory lists it, as long as one of its versions is approved.',
  }),
});

export const AppChange = Type.Partial(Type.Object({ ...AppInput.properties, ...Listing.properties }));
export type AppChange = Static<typeof AppChange>;

export const AppItem = Type.Object({ app: App });
const WithSecret = Type.Object({
  app: App,
  clientSecret: Type.String({ description: 'Shown once: only its SHA-256 is stored.' }),
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
    description: 'With what each says of itself in the directory; not its secrets.',
    ids: org,
    query: Type.Object(paging),
    answer: [200, pagesOf('apps', App)],
  },
  createApp: {
    method: 'POST',
    path: '/api/orgs/{orgId}/apps',
    access: 'user',
    summary: 'Make an app',
    description: 'The client secret is in this answer and nowhere else.',
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
    description: 'What it says of itself, its addresses for redirects and its webhook; never its secrets.',
    ids: app,
    answer: [200, AppItem],
  },
  changeApp: {
    method: 'PATCH',
    path: '/api/orgs/{orgId}/apps/{appId}',
    access: 'user',
    summary: 'Change an app and its directory entry',
    description:
      'An absent field stays as it is. What the directory shows changes at once; blocks and islands change with versions.',
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
    description: 'The old one stops working at once; tokens that were issued go on working.',
    ids: app,
    answer: [200, WithSecret],
  },
  issueWebhookSecret: {
    method: 'POST',
    path: '/api/orgs/{orgId}/apps/{appId}/webhook-secret',
    access: 'user',
    summary: "Create or rotate the signing secret of the app's webhook",
    description:
      'The secret is in this answer and never again. During the overlap `X-WB-Signature` is made with the old one, ' +
      '`X-WB-Signature-Next` with the new one, and `webhook-signature` holds both; afterwards the new one is used alone. ' +
      '`409 invalid_state` while an earlier one overlaps, unless `overlapHours` is 0.',
    ids: app,
    body: Type.Object({
      overlapHours: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 168,
          description: '24 when absent; with 0 the old one ends at once.',
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
