import { Email, idPattern, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pagesOf, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';

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
    suspendedAt: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'App' },
);
export type App = Static<typeof App>;

export const AppInput = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
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

/** What an app says of itself in the directory. */
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

/** `decisions.md 7.3, 14.2`. */
export const routes = defineRoutes({
  listApps: {
    method: 'GET',
    path: '/api/orgs/{orgId}/apps',
    access: 'user',
    summary: "List an organisation's apps, newest first",
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
    answer: [201, WithSecret],
  },
  getApp: {
    method: 'GET',
    path: '/api/orgs/{orgId}/apps/{appId}',
    access: 'user',
    summary: 'Read an app',
    ids: app,
    answer: [200, AppItem],
  },
  changeApp: {
    method: 'PATCH',
    path: '/api/orgs/{orgId}/apps/{appId}',
    access: 'user',
    summary: 'Change an app, and what it says of itself in the directory',
    ids: app,
    body: AppChange,
    answer: [200, AppItem],
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
  listAppNames: {
    method: 'POST',
    path: '/internal/apps/names',
    access: 'service',
    summary: 'What apps are called, whether they are suspended or not',
    body: Type.Object({ ids: Type.Array(Type.String(), { maxItems: 200 }) }),
    answer: [200, Type.Object({ apps: Type.Array(Type.Pick(App, ['id', 'name'])) })],
  },
});
