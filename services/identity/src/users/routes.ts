import { Email, idPattern, Name, Timestamp, type UserFacts } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';
import { locales } from '../mail/templates.ts';
import { Code } from '../second-factor/routes.ts';
import { Store } from '../stores/routes.ts';

export const User = Type.Object(
  {
    id: Type.String({ pattern: idPattern('user') }),
    email: Type.String({ description: 'Lower-case.' }),
    emailVerified: Type.Boolean({
      description: 'Whether the user has followed a link mailed to this address.',
    }),
    totpEnabled: Type.Boolean({ description: 'Whether signing in requires a code of a second factor.' }),
    name: Type.String(),
    locale: Type.Enum([...locales], { description: 'The language of mails to the user.' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'User' },
);
export type User = Static<typeof User>;

export const SignedIn = Type.Object(
  {
    user: User,
    accessToken: Type.String({ description: 'A JWT, valid for 15 minutes.' }),
    expiresAt: Type.String({ format: 'date-time', description: 'The expiry of the access token.' }),
    refreshToken: Type.Optional(
      Type.String({
        description: 'Valid for one refresh within 30 days. Absent if the session is kept in a cookie.',
      }),
    ),
  },
  { $id: 'SignedIn' },
);
export type SignedIn = Static<typeof SignedIn>;

export const Session = Type.Object(
  {
    id: Type.String(),
    createdAt: Timestamp,
    lastUsedAt: Type.String({ format: 'date-time', description: 'The time of the last refresh.' }),
    ip: Type.Union([Type.String(), Type.Null()], { description: 'The network address of the last refresh.' }),
    userAgent: Type.Union([Type.String(), Type.Null()], {
      description: 'The user agent of the client; printable characters only, at most 200.',
    }),
    isCurrent: Type.Boolean({ description: 'Whether this is the session of the request.' }),
  },
  { $id: 'Session' },
);
export type Session = Static<typeof Session>;

const RefreshToken = Type.Object({
  refreshToken: Type.Optional(
    Type.String({ description: 'If omitted, the cookie is used, only for pages of the same origin.' }),
  ),
});
const session = Type.Optional(
  Type.Enum(['cookie'], {
    description:
      'For browser apps: the refresh token is set in an `HttpOnly` cookie, which `refresh` and `logout` read, ' +
      'instead of in the body. Only for pages of the same origin; the session of an existing cookie ends.',
  }),
);
const Password = Type.String({ minLength: 10, maxLength: 200 });
const name = Name();
const newUser = { email: Email, password: Password, name };
const Me = Type.Object({ user: User });

const Overview = Type.Object({
  user: User,
  stores: Type.Array(Type.Pick(Store, ['id', 'name', 'slug', 'role', 'isDevelopment']), {
    description: 'The first 100 stores, by ID, where you are a member; IDs sort by creation time.',
  }),
  hasMoreStores: Type.Boolean({ description: 'Whether there are more; `GET /api/stores` lists all.' }),
  orgs: Type.Array(
    Type.Object({
      id: Type.String({ pattern: idPattern('organisation') }),
      name: Type.String(),
      role: Type.Enum(['owner', 'developer']),
    }),
    { description: 'The first 100 organisations, by ID, where you are a member.' },
  ),
  hasMoreOrgs: Type.Boolean({ description: 'Whether there are more; `GET /api/orgs` lists all.' }),
  isReviewer: Type.Boolean({ description: 'Whether you are a reviewer of apps.' }),
  unavailable: Type.Optional(
    Type.Array(Type.Enum(['orgs']), {
      description: 'The fields that could not be read this time, and are empty.',
    }),
  ),
});
export type Overview = Static<typeof Overview>;

/** Routes of users: `decisions.md 8.1`. */
export const routes = defineRoutes({
  register: {
    method: 'POST',
    path: '/api/auth/register',
    access: 'public',
    summary: 'Create a user account',
    description:
      'Mails a verification link to the address, in the language of `Accept-Language` if texts in it exist. ' +
      'Limited for each network address to a tenth of a credential’s rate.',
    headers: { 'accept-language': { description: 'English or German; the language of mails to the user.' } },
    body: Type.Object({ ...newUser, session }),
    answer: [201, SignedIn],
    errors: [errors.duplicate_email, errors.cross_origin, errors.rate_limited, errors.resource_unavailable],
  },
  login: {
    method: 'POST',
    path: '/api/auth/login',
    access: 'public',
    summary: 'Sign in',
    description:
      'A wrong address and a wrong password get the same answer. After 10 failures in 15 minutes for one ' +
      'account, or 100 from one network address, further attempts are rejected. If the second factor is on, ' +
      'the right password without a code is `totp_required`. Beyond 100 sessions of a user, the least recently ' +
      'used ones end.',
    body: Type.Object({ email: Type.String(), password: Type.String(), code: Type.Optional(Code), session }),
    answer: [200, SignedIn],
    errors: [
      errors.invalid_login,
      errors.totp_required,
      errors.invalid_code,
      errors.cross_origin,
      errors.rate_limited,
      errors.resource_unavailable,
    ],
  },
  createLoginCode: {
    method: 'POST',
    path: '/api/me/login-codes',
    access: 'user',
    summary: 'Create a sign-in code for a program on your computer',
    description:
      'For the console, at your request. The program creates a verifier and has you take its challenge (RFC ' +
      '7636, S256) to the console and the code back; nobody else can use the code. Valid once, for a minute, ' +
      'while your session lasts.',
    body: Type.Object({
      codeChallenge: Type.String({
        pattern: '^[A-Za-z0-9_-]{43}$',
        examples: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
      }),
    }),
    answer: [201, Type.Object({ code: Type.String(), expiresAt: Timestamp })],
  },
  loginByCode: {
    method: 'POST',
    path: '/api/auth/login-codes',
    access: 'public',
    summary: 'Sign in with a code created for a program',
    description: 'Creates a separate session. Rate-limited for each network address like registration.',
    body: Type.Object({
      code: Type.String({ maxLength: 200 }),
      codeVerifier: Type.String({
        pattern: '^[A-Za-z0-9._~-]{43,128}$',
        examples: ['dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'],
      }),
    }),
    answer: [200, SignedIn],
    errors: [errors.invalid_token, errors.rate_limited],
  },
  refresh: {
    method: 'POST',
    path: '/api/auth/refresh',
    access: 'public',
    summary: 'Exchange a refresh token for new tokens',
    description:
      'Can be repeated with the same token if an answer is lost, until a token from the answer is used. Reuse ' +
      'of an older token ends the session. A console sends its cookie instead of a body, and receives the next ' +
      'token in a cookie; tabs of a browser can use the previous cookie for ten seconds.',
    body: RefreshToken,
    isBodyOptional: true,
    answer: [200, SignedIn],
    errors: [errors.invalid_refresh_token, errors.cross_origin],
  },
  logout: {
    method: 'POST',
    path: '/api/auth/logout',
    access: 'public',
    summary: 'End a session',
    description:
      'Also succeeds for an unknown token. The access tokens of the session end with it. A console sends its ' +
      'cookie instead of a body, and the cookie is deleted.',
    body: RefreshToken,
    isBodyOptional: true,
    answer: [200, Type.Object({})],
    errors: [errors.cross_origin],
  },
  verifyEmail: {
    method: 'POST',
    path: '/api/auth/verify',
    access: 'public',
    summary: 'Verify an e-mail address with the token of its link',
    description: 'Works once, within 7 days.',
    body: Type.Object({ token: Type.String() }),
    answer: [200, Type.Object({ user: User })],
    errors: [errors.invalid_token],
  },
  requestVerification: {
    method: 'POST',
    path: '/api/auth/verification',
    access: 'user',
    summary: 'Send another verification link to your e-mail address',
    description:
      'Nothing is mailed if the address is already verified, or after 5 links in an hour. Rate-limited for ' +
      'each network address like registration.',
    answer: [202, Type.Object({})],
    errors: [errors.rate_limited],
  },
  requestReset: {
    method: 'POST',
    path: '/api/auth/forgot',
    access: 'public',
    summary: 'Send a password-reset link by mail',
    description:
      'The answer is the same whether or not the address has an account. At most 5 links an hour are mailed to ' +
      'one address. Rate-limited for each network address like registration.',
    body: Type.Object({ email: Email }),
    answer: [202, Type.Object({})],
    errors: [errors.rate_limited],
  },
  resetPassword: {
    method: 'POST',
    path: '/api/auth/reset',
    access: 'public',
    summary: 'Set a password with the token of a link',
    description:
      'Works once, within an hour. Ends every session of the user, including access tokens, and verifies the ' +
      'address. If the address was not verified before, the second factor is also removed.',
    body: Type.Object({ token: Type.String(), password: Password }),
    answer: [200, Type.Object({})],
    errors: [errors.invalid_token, errors.resource_unavailable],
  },
  getMe: {
    method: 'GET',
    path: '/api/me',
    access: 'user',
    summary: 'Read the signed-in user and their memberships',
    description: 'The ETag covers only `user`: a `304` says nothing about the rest.',
    computed: ['stores', 'hasMoreStores', 'orgs', 'hasMoreOrgs', 'isReviewer', 'unavailable'],
    isRevalidated: true,
    answer: [200, Overview],
  },
  changeMe: {
    method: 'PATCH',
    path: '/api/me',
    access: 'user',
    summary: 'Change your name, or the language of your mails',
    description: 'Omitted fields keep their values.',
    body: Type.Partial(Type.Object({ name, locale: Type.Enum([...locales]) })),
    answer: [200, Me],
  },
  changePassword: {
    method: 'POST',
    path: '/api/auth/password',
    access: 'user',
    summary: 'Change your password',
    description:
      'Ends all other sessions, and invalidates links for setting a password. A wrong current password counts ' +
      'as a failed login of the account. A mail notifies the user.',
    body: Type.Object({ current: Type.String(), password: Password }),
    answer: [200, Type.Object({})],
    errors: [errors.invalid_login, errors.rate_limited, errors.resource_unavailable],
  },
  listSessions: {
    method: 'GET',
    path: '/api/me/sessions',
    access: 'user',
    summary: 'List where you are signed in',
    description: 'Most recently used first. At most 100.',
    answer: [200, Type.Object({ sessions: Type.Array(Session), total: Type.Integer() })],
  },
  endSession: {
    method: 'DELETE',
    path: '/api/me/sessions/{id}',
    access: 'user',
    summary: 'End one of your sessions',
    description: 'Effective from the next request, including its access tokens.',
    answer: [204, null],
  },
  endAllSessions: {
    method: 'DELETE',
    path: '/api/me/sessions',
    access: 'user',
    summary: 'Sign out everywhere',
    description: 'Ends all of your sessions, including the current one, from the next request.',
    answer: [204, null],
  },
  getKeys: {
    method: 'GET',
    path: '/.well-known/jwks.json',
    access: 'public',
    summary: 'List the public keys that verify access tokens (RFC 7517)',
    description:
      'For services that verify user tokens themselves. Lists all accepted keys; during a key rotation there ' +
      'are two.',
    answer: [
      200,
      Type.Object({
        keys: Type.Array(Type.Object({}, { additionalProperties: true }), {
          examples: [
            [
              {
                kty: 'OKP',
                crv: 'Ed25519',
                x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
                kid: '2026-11',
              },
            ],
          ],
        }),
      }),
    ],
  },
  resolveSession: {
    method: 'POST',
    path: '/internal/sessions/resolve',
    access: 'service',
    summary: 'Check whether a session is open and its user a reviewer, for the gateway',
    description:
      'The user’s epoch was read before, so a change in between invalidates entries cached under it.',
    body: Type.Object({ sessionId: Type.String(), userId: Type.String() }),
    answer: [200, Type.Object({ epoch: Type.String(), isReviewer: Type.Boolean() })],
  },
  vouchForUser: {
    method: 'POST',
    path: '/internal/users',
    access: 'service',
    summary: 'Create a user with a verified address, or verify the address of the user with this password',
    body: Type.Object(newUser),
    answer: [200, Type.Object({ user: User })],
    errors: [errors.duplicate_email],
  },
  addReviewer: {
    method: 'POST',
    path: '/internal/reviewers',
    access: 'service',
    summary: 'Create a reviewer, and return the token of the link that sets the password',
    body: Type.Object({ email: Email }),
    answer: [200, Type.Object({ token: Type.String(), expiresAt: Timestamp })],
  },
  removeReviewer: {
    method: 'POST',
    path: '/internal/reviewers/remove',
    access: 'service',
    summary: 'Remove a reviewer, unless the configuration lists the address',
    body: Type.Object({ email: Type.String() }),
    answer: [200, Type.Object({})],
    errors: [errors.invalid_state],
  },
  lookUpUser: {
    method: 'POST',
    path: '/internal/users/lookup',
    access: 'service',
    summary: 'Find a user by e-mail address, in any case',
    body: Type.Object({ email: Type.String() }),
    answer: [200, Type.Object({ user: Type.Unsafe<UserFacts>({}) })],
  },
  listUserNames: {
    method: 'POST',
    path: '/internal/users/names',
    access: 'service',
    summary: 'Look up the names of users, without deleted ones',
    body: Type.Object({ ids: Type.Array(Type.String(), { maxItems: 200 }) }),
    answer: [200, Type.Object({ users: Type.Array(Type.Pick(User, ['id', 'name'])) })],
  },
});
