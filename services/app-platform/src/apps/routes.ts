import { idPattern, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pagesOf, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';

export const App = Type.Object(
  {
    id: Type.String({ pattern: idPattern('app'), description: 'Its `client_id` too.' }),
    orgId: Type.String({ pattern: idPattern('organisation') }),
    name: Type.String(),
    redirectUris: Type.Array(Type.String()),
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

const Item = Type.Object({ app: App });
const WithSecret = Type.Object({
  app: App,
  clientSecret: Type.String({ description: 'Shown once: only its SHA-256 is stored.' }),
});
const org = { orgId: 'organisation' } as const;
const app = { orgId: 'organisation', appId: 'app' } as const;

/** `decisions.md 7.3`. */
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
    answer: [200, Item],
  },
  changeApp: {
    method: 'PATCH',
    path: '/api/orgs/{orgId}/apps/{appId}',
    access: 'user',
    summary: "Change an app's name or where it may send merchants back to",
    ids: app,
    body: Type.Partial(AppInput),
    answer: [200, Item],
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
