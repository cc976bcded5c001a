import Type, { type Static } from 'typebox';
import { idPattern } from './ids.ts';
import { Name } from './names.ts';
import { permissions } from './permissions.ts';
import { Timestamp } from './resources.ts';

export const ConnectOrigins = Type.Array(Type.String(), {
  description: "Where the version's islands may connect to, beside the page's own origin.",
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
    grantedScopes: Type.Array(Type.Enum([...permissions]), { description: 'What its tokens may do.' }),
    connectOrigins: ConnectOrigins,
    isDevelopment: Type.Boolean({
      description:
        'Its version was chosen by a member of the app’s organisation, and no other is taken by itself. Only in ' +
        'development stores.',
    }),
    state: Type.Enum(['installed', 'disabled', 'suspended', 'uninstalled'], {
      description:
        '`disabled` by the merchant, `suspended` by the platform. An uninstalled app keeps its data.',
    }),
    waitingVersionId: Type.Union([
      Type.String({
        pattern: idPattern('appVersion'),
        description: 'A newer approved version, which the merchant may take with a consent.',
      }),
      Type.Null(),
    ]),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Install' },
);
export type Install = Static<typeof Install>;
