import Type, { type Static } from 'typebox';
import { idPattern } from './ids.ts';
import { Name } from './names.ts';
import { permissions } from './permissions.ts';
import { Timestamp } from './resources.ts';

export const ConnectOrigins = Type.Array(Type.String(), {
  description: "The origins that the version's islands may connect to, besides the page's own.",
});

/** How an app takes payments: `decisions.md 22.6`. */
export const AppPayments = Type.Object({
  name: Name({ examples: ['Example Pay'] }),
});
export type AppPayments = Static<typeof AppPayments>;

/** The installation of an app in a store, as merchants and the app itself read it: `decisions.md 7.6, 14.5`. */
export const Install = Type.Object(
  {
    id: Type.String({ pattern: idPattern('install') }),
    appId: Type.String({ pattern: idPattern('app') }),
    appName: Type.String(),
    storeId: Type.String({ pattern: idPattern('store') }),
    versionId: Type.String({ pattern: idPattern('appVersion') }),
    versionNumber: Type.Integer({ minimum: 1 }),
    grantedScopes: Type.Array(Type.Enum([...permissions]), { description: 'The permissions of its tokens.' }),
    connectOrigins: ConnectOrigins,
    isDevelopment: Type.Boolean({
      description:
        'Whether a member of the app’s organisation chose the version. Newer versions are then not installed ' +
        'automatically. Only in development stores.',
    }),
    state: Type.Enum(['installed', 'disabled', 'suspended', 'uninstalled'], {
      description:
        '`disabled` by the merchant, `suspended` by the platform. An uninstalled app keeps its data.',
    }),
    waitingVersionId: Type.Union([
      Type.String({
        pattern: idPattern('appVersion'),
        description: 'A newer approved version, which the merchant can install after giving consent.',
      }),
      Type.Null(),
    ]),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Install' },
);
export type Install = Static<typeof Install>;
