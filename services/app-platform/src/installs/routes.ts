import {
  AppPayments,
  Install,
  type InstalledAppReply,
  maxHolders,
  type Rights,
  Timestamp,
} from '@waybill/contracts';
import { after, defineRoutes, nullable, pagesOf, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';
import { challengePattern, maxStateLength } from '../oauth/routes.ts';

/** An install as the app's organisation sees it: the store's id, and nothing else about the store. */
const AppInstall = Type.Object(
  {
    ...Type.Pick(Install, ['id', 'storeId', 'versionId', 'versionNumber', 'state']).properties,
    installedAt: Type.String({
      format: 'date-time',
      description: 'When it was installed for the first time.',
    }),
    updatedAt: Timestamp,
  },
  { $id: 'AppInstall' },
);
export type AppInstall = Static<typeof AppInstall>;

/** The merchant's consent: exactly what the version asks for. */
const agreed = {
  scopes: Type.Array(Type.String({ maxLength: 60 }), {
    maxItems: 100,
    description: 'The scopes that the version asks for, in any order.',
  }),
  connectOrigins: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      maxItems: 100,
      description: 'Where its islands may connect to, in any order; none where it is left out.',
    }),
  ),
};
export const Consent = Type.Object(agreed);
export type Consent = Static<typeof Consent>;

const State = Type.Optional(
  Type.String({ maxLength: maxStateLength, description: 'Comes back to the app as it is.' }),
);
const challenge = {
  pattern: challengePattern,
  description: 'PKCE, S256: BASE64URL(SHA-256(verifier)).',
};

export const InstallInput = Type.Object(
  {
    ...agreed,
    versionId: Type.Optional(
      Type.String({ description: 'In a development store: any version of an app of its organisation.' }),
    ),
    redirectUri: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: 'One that the app has registered; without it no code is made.',
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
    ...agreed,
    redirectUri: Type.String({ maxLength: 2048, description: 'One that the app has registered.' }),
    state: State,
    codeChallenge: Type.String({ ...challenge, errorCode: { required: 'invalid_request' } }),
    decline: Type.Optional(
      Type.Boolean({ description: 'The answer leads back with `error=access_denied`; nothing changes.' }),
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
      'Whatever its state: installed, disabled, suspended or uninstalled; `waitingVersionId` says that one waits for consent.',
    ids: { storeId: 'store' },
    query: Type.Object({ ...paging, state }),
    answer: [200, pagesOf('apps', Install)],
  },
  listInstallsOfApp: {
    method: 'GET',
    path: '/api/orgs/{orgId}/apps/{appId}/installs',
    access: 'user',
    summary: 'List the installs of an app, newest first, including uninstalled ones',
    description: "For members of the app's organisation.",
    ids: { orgId: 'organisation', appId: 'app' },
    query: Type.Object({ limit: paging.limit, ...after, state }),
    answer: [200, pagesOf('installs', AppInstall)],
    errors: [errors.invalid_cursor],
  },
  getInstall: {
    method: 'GET',
    path: app,
    ...reading,
    summary: "Read an app's install",
    description: 'Its version, what it was granted, its state, and whether a version waits for consent.',
    ids,
    answer: [200, Item],
  },
  installApp: {
    method: 'POST',
    path: `${app}/install`,
    ...changing,
    summary: 'Install an app, also after an uninstall',
    description:
      'Takes the newest approved version. In a development store, members of its organisation name a version of their ' +
      'own apps instead, in any state (`versionId`, elsewhere `409 invalid_state`), of 20 apps at most; that installs over ' +
      'another one, and what is put to a draft shows on the store’s pages. `409 consent_required` carries the `scopes` and ' +
      '`connectOrigins` that it asks for. With a `redirectUri` the answer leads there (`redirectTo`) with `code`, good for one exchange within 60 ' +
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
      'The answer is where the merchant goes next: back to the app, with `code`, `state` and `iss`. Installs the app as ' +
      '`install` does; where it is installed, that stays as it is, whatever version waits, and `scopes` do not count. ' +
      'Tokens that it had end when the code is exchanged. `409 invalid_state` where it is disabled or suspended. A member ' +
      'of its organisation authorises an app that was never approved in a development store: its newest version is ' +
      'installed there.',
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
    description: 'Its tokens end, its blocks leave the pages; its data is kept for when it comes back.',
    ids,
    answer: [204, null],
  },
  consentToVersion: {
    method: 'POST',
    path: `${app}/consent`,
    ...changing,
    summary: 'Take the version that waits for consent',
    description:
      'Send the `scopes` and `connectOrigins` that the version asks for, as a sign that they were read. Tokens of the install have them at once.',
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
      'It stays there until the merchant takes a version or a new one is approved. A version that asks for more ' +
      'than is granted now wants its `scopes` and `connectOrigins` agreed to.',
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
      'Its blocks leave live pages within seconds and its tokens stop working. Nothing is deleted.',
    ids,
    answer: [200, Item],
    errors: [errors.invalid_state],
  },
  enableApp: {
    method: 'DELETE',
    path: `${app}/disable`,
    ...changing,
    summary: 'Enable a disabled app',
    description: 'All is as it was before: blocks, tokens, app data and webhooks.',
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
          description: 'Ids of versions, with commas between them, whose manifests the caller has.',
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
