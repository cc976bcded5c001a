import { ConnectOrigins, idPattern, permissions } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { App } from '../apps/routes.ts';

/** Maximum length of an icon's name; a longer one names no icon. */
export const maxIconName = 64;

export const ShownBlock = Type.Object({
  key: Type.String(),
  name: Type.String(),
  icon: nullable(
    Type.String({ maxLength: maxIconName, description: 'The name of an icon; unknown names are possible.' }),
  ),
});
export type ShownBlock = Static<typeof ShownBlock>;

const { description, website, supportEmail, privacyUrl, installUrl, iconUrl } = App.properties;

/** An app as merchants see it, with the requirements and contributions of its newest approved version. */
const ListedApp = Type.Object(
  {
    id: Type.String({ pattern: idPattern('app') }),
    name: Type.String(),
    orgName: Type.String(),
    description,
    iconUrl,
    installUrl,
    scopes: Type.Array(Type.Enum([...permissions]), {
      description: 'The permissions it requests from merchants.',
    }),
    blocks: Type.Array(ShownBlock, { description: 'The blocks it adds to the editor.' }),
    installs: Type.Integer({
      minimum: 0,
      description: 'The number of stores with the app, at most about a minute old.',
    }),
  },
  { $id: 'ListedApp' },
);
export type ListedApp = Static<typeof ListedApp>;

const AppProfile = Type.Object(
  { ...ListedApp.properties, website, supportEmail, privacyUrl, connectOrigins: ConnectOrigins },
  { $id: 'AppProfile' },
);
export type AppProfile = Static<typeof AppProfile>;

/** `decisions.md 14.2`. */
export const routes = defineRoutes({
  listDirectory: {
    method: 'GET',
    path: '/api/apps',
    access: 'user',
    summary: 'List the apps that can be installed',
    description: 'Listed apps with an approved version, by number of installs, then newest first.',
    query: Type.Object({
      ...paging,
      q: Type.Optional(
        Type.String({
          description: 'Every word must occur in the app’s name, the organisation’s name or the description.',
        }),
      ),
    }),
    answer: [200, pageSchema('apps', ListedApp)],
  },
  getAppProfile: {
    method: 'GET',
    path: '/api/apps/{appId}',
    access: 'user',
    summary: "Read an app's description and requested scopes, before its installation",
    description:
      'Available for every app that has an approved version and is not suspended, listed or not. Before the ' +
      'first approval, members of its organisation see its newest version here.',
    ids: { appId: 'app' },
    computed: ['app.installs'],
    isRevalidated: true,
    answer: [200, Type.Object({ app: AppProfile })],
  },
});
