import {
  AppPayments,
  Install,
  type InstalledAppReply,
  maxHolders,
  type Rights,
  Timestamp,
} from '@waybill/contracts';
import { after, defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';
import { challengePattern, maxStateLength } from '../oauth/routes.ts';

/** An install as the app's organisation sees it: the store's id, and nothing else about the store. */
const AppInstall = Type.Object(
  {
    ...Type.Pick(Install, ['id', 'storeId', 'versionId', 'versionNumber', 'state']).properties,
    installedAt: Type.String({
      format: 'date-time',
      description: 'The time of the first install.',
    }),
    updatedAt: Timestamp,
  },
  { $id: 'AppInstall' },
);
export type AppInstall = Static<typeof AppInstall>;

/** The merchant's consent: exactly what the version asks for. */
const consentFields = {
  scopes: Type.Array(Type.String({ maxLength: 60 }), {
    maxItems: 100,
    description: 'The scopes that the version requests, in any order.',
  }),
  connectOrigins: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      maxItems: 100,
      description: 'The origins that its islands may connect to, in any order; none by default.',
    }),
  ),
};
export const Consent = Type.Object(consentFields);
export type Consent = Static<typeof Consent>;

const State = Type.Optional(
  Type.String({ maxLength: maxStateLength, description: 'Returned to the app unchanged.' }),
);
const challenge = {
  pattern: challengePattern,
  description: 'PKCE, S256: BASE64URL(SHA-256(verifier)).',
};

export const InstallInput = Type.Object(
  {
    ...consentFields,
    versionId: Type.Optional(
      Type.String({
        description: 'In a development store: any version of an app of the store’s organisation.',
      }),
    ),
    redirectUri: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: 'An address registered by the app; without it no code is issued.',
      }),
    ),
    state: State,
    codeChallenge: Type.Optional(
      Type.String({ ...challenge, description: `${challenge.description} Required with a \`redirectUri\`.` }),
    ),
    codeChallengeMethod: Type.Optional(Type.Enum(['S256'])),
  },
  { $id: 'InstallInput' },
);
export type InstallInput = Static<typeof InstallInput>;

export const Authorization = Type.Object(
  {
    ...consentFields,
    redirectUri: Type.String({ maxLength: 2048, description: 'An address registered by the app.' }),
    state: State,
    codeChallenge: Type.String({ ...challenge, errorCode: { required: 'invalid_request' } }),
    decline: Type.Optional(
      Type.Boolean({ description: 'The answer redirects with `error=access_denied`; nothing changes.' }),
    ),
  },
  { $id: 'Authorization' },
);
export type Authorization = Static<typeof Authorization>;

const Item = Type.Object({ install: Install });
const ids = { storeId: 'store', appId: 'app' } as const;
const app = '/api/stores/{storeId}/apps/{appId}';
const reading = { access: { member: 'integrations.read' } } as const;
const changing = { access: { member: 'integrations.write' } } as const;

const state = Type.Optional(Type.Enum(['installed', 'disabled', 'suspended', 'uninstalled']));

/** `decisions.md 7.6, 14.5`. */
export const routes = defineRoutes({
  listInstalls: {
    method: 'GET',
    path: '/api/stores/{storeId}/apps',
    ...reading,
    summary: 'List the apps of a store, newest first, including uninstalled ones',
    description:
      'In any state: installed, disabled, suspended or uninstalled; `waitingVersionId` is set if a version ' +
      'waits for consent.',
    ids: { storeId: 'store' },
    query: Type.Object({ ...paging, state }),
    answer: [200, pageSchema('apps', Install)],
  },
  listInstallsOfApp: {
    method: 'GET',
    path: '/api/orgs/{orgId}/apps/{appId}/installs',
    access: 'user',
    summary: 'List the installs of an app, newest first, including uninstalled ones',
    description: "For members of the app's organisation.",
    ids: { orgId: 'organisation', appId: 'app' },
    query: Type.Object({ limit: paging.limit, ...after, state }),
    answer: [200, pageSchema('installs', AppInstall)],
    errors: [errors.invalid_cursor],
  },
  getInstall: {
    method: 'GET',
    path: app,
    ...reading,
    summary: "Read an app's install",
    description: 'Its version, granted permissions and state, and the version that waits for consent.',
    ids,
    answer: [200, Item],
  },
  installApp: {
    method: 'POST',
    path: `${app}/install`,
    ...changing,
    summary: 'Install an app, also after an uninstall',
    description:
      'Installs the newest approved version. In a development store, members of its organisation instead name ' +
      'a version of their own apps with `versionId`, in any state (elsewhere `409 invalid_state`), of at most ' +
      '20 apps; this replaces an installed version, and changes to a draft appear on the store’s pages. `409 ' +
      'consent_required` includes the `scopes` and `connectOrigins` that the version requests. With a ' +
      '`redirectUri`, the answer redirects there (`redirectTo`) with `code`, valid for one exchange within 60 ' +
      'seconds, `state` and `iss`.',
    ids,
    body: InstallInput,
    // Identity is asked before the transaction begins.
    idempotency: 'handler',
    answer: [201, Type.Object({ install: Install, redirectTo: Type.Optional(Type.String()) })],
    errors: [errors.consent_required, errors.already_installed, errors.invalid_state, errors.invalid_request],
  },
  authorizeApp: {
    method: 'POST',
    path: `${app}/authorize`,
    ...changing,
    summary: 'Grant or decline the access that an app requested at /oauth/authorize',
    description:
      'Returns the merchant’s next address: back at the app, with `code`, `state` and `iss`. Installs the app ' +
      'as `install` does; an installed app stays unchanged, even if a version is waiting, and `scopes` are ' +
      'ignored. Its previous tokens end when the code is exchanged. `409 invalid_state` if the app is disabled ' +
      'or suspended. In a development store, a member of its organisation can authorise an app that was never ' +
      'approved: its newest version is installed there.',
    ids,
    body: Authorization,
    // Identity is asked before the transaction begins.
    idempotency: 'handler',
    answer: [200, Type.Object({ redirectTo: Type.String() })],
    errors: [errors.consent_required, errors.invalid_state, errors.invalid_request],
  },
  uninstallApp: {
    method: 'DELETE',
    path: app,
    ...changing,
    summary: 'Uninstall an app',
    description: 'Ends its tokens and removes its blocks from pages; its data is kept for a later reinstall.',
    ids,
    answer: [204, null],
  },
  consentToVersion: {
    method: 'POST',
    path: `${app}/consent`,
    ...changing,
    summary: 'Accept the version that waits for consent',
    description:
      'Send the `scopes` and `connectOrigins` that the version requests, to confirm that they were read. ' +
      'Tokens of the install receive them at once.',
    ids,
    body: Consent,
    answer: [200, Item],
    errors: [errors.consent_required, errors.invalid_state],
  },
  rollBack: {
    method: 'POST',
    path: `${app}/rollback`,
    ...changing,
    summary: "Roll a store's app back to an earlier approved version",
    description:
      'The app stays on this version until the merchant installs another or a new version is approved. A ' +
      'version that requests more than is granted now requires consent to its `scopes` and `connectOrigins`.',
    ids,
    body: Type.Object({ versionId: Type.String(), ...Type.Partial(Consent).properties }),
    answer: [200, Item],
    errors: [errors.consent_required, errors.invalid_state],
  },
  disableApp: {
    method: 'POST',
    path: `${app}/disable`,
    ...changing,
    summary: 'Disable an app',
    description:
      'Its blocks disappear from live pages within seconds and its tokens stop working. Nothing is deleted.',
    ids,
    answer: [200, Item],
    errors: [errors.invalid_state],
  },
  enableApp: {
    method: 'DELETE',
    path: `${app}/disable`,
    ...changing,
    summary: 'Enable a disabled app',
    description: 'Restores blocks, tokens, app data and webhooks as they were.',
    ids,
    answer: [200, Item],
    errors: [errors.invalid_state],
  },
  listAvailableApps: {
    method: 'GET',
    path: '/internal/stores/{storeId}/apps',
    access: 'service',
    summary: 'List the page contributions of the apps available in a store',
    ids: { storeId: 'store' },
    query: Type.Object({
      known: Type.Optional(
        Type.String({
          description: 'IDs of versions whose manifests the caller already has, separated by commas.',
        }),
      ),
    }),
    answer: [200, Type.Object({ apps: Type.Array(Type.Unsafe<InstalledAppReply>(Type.Object({}))) })],
  },
  lookUpPayments: {
    method: 'POST',
    path: '/internal/app-payments/lookup',
    access: 'service',
    summary: 'Read the payment name of an app in a store; null if it takes no payments there',
    body: Type.Object({ storeId: Type.String(), appId: Type.String() }),
    answer: [200, Type.Object({ payments: nullable(AppPayments) })],
  },
  lookUpRights: {
    method: 'POST',
    path: '/internal/app-rights/lookup',
    access: 'service',
    summary: 'Read the current permissions of apps in stores; null if one is not available',
    body: Type.Object({
      holders: Type.Array(Type.Object({ storeId: Type.String(), id: Type.String() }), {
        maxItems: maxHolders,
      }),
    }),
    answer: [200, Type.Object({ rights: Type.Array(Type.Unsafe<Rights>({})) })],
  },
});
