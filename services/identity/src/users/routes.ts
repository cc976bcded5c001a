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
    emailVerified: Type.Boolean({ description: 'Whether a link that was mailed there has been followed.' }),
    totpEnabled: Type.Boolean({ description: 'Whether signing in needs a code of a second factor.' }),
    name: Type.String(),
    locale: Type.Enum([...locales], { description: 'The language of mails.' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'User' },
);
export type User = Static<typeof User>;

export const SignedIn = Type.Object(
  {
    user: User,
    accessToken: Type.String({ description: 'A JWT, good for 15 minutes.' }),
    expiresAt: Type.String({ format: 'date-time', description: 'When the access token ends.' }),
    refreshToken: Type.Optional(
      Type.String({
        description: 'Good for one refresh within 30 days. Left out where the session is kept in a cookie.',
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
    lastUsedAt: Type.String({ format: 'date-time', description: 'When it was refreshed last.' }),
    ip: Type.Union([Type.String(), Type.Null()], { description: 'The network address of that time.' }),
    userAgent: Type.Union([Type.String(), Type.Null()], {
      description: 'What the program called itself, printable characters only, 200 at most.',
    }),
    isCurrent: Type.Boolean({ description: 'Whether it is the one that asks.' }),
  },
  { $id: 'Session' },
);
export type Session = Static<typeof Session>;

const RefreshToken = Type.Object({
  refreshToken: Type.Optional(
    Type.String({ description: 'Left out, the cookie counts, for pages of the same origin alone.' }),
  ),
});
const session = Type.Optional(
  Type.Enum(['cookie'], {
    description:
      'For a console: the refresh token comes in an `HttpOnly` cookie that `refresh` and `logout` take, instead of in the ' +
      'body. Only pages of the same origin may ask for that, and the session of a cookie that is there ends.',
  }),
);
const Password = Type.String({ minLength: 10, maxLength: 200 });
const name = Name();
const newUser = { email: Email, password: Password, name };
const Me = Type.Object({ user: User });

const Overview = Type.Object({
  user: User,
  stores: Type.Array(Type.Pick(Store, ['id', 'name', 'slug', 'role', 'isDevelopment']), {
    description: 'Where you are a member: the first 100 by their ids, and so those that were made first.',
  }),
  hasMoreStores: Type.Boolean({ description: 'Whether there are more; `GET /api/stores` has all of them.' }),
  orgs: Type.Array(
    Type.Object({
      id: Type.String({ pattern: idPattern('organisation') }),
      name: Type.String(),
      role: Type.Enum(['owner', 'developer']),
    }),
    { description: 'Your organisations, the first 100 likewise.' },
  ),
  hasMoreOrgs: Type.Boolean({ description: 'Whether there are more; `GET /api/orgs` has all of them.' }),
  isReviewer: Type.Boolean({ description: 'Whether you review apps.' }),
  unavailable: Type.Optional(
    Type.Array(Type.Enum(['orgs']), { description: 'What could not be read this time, and is empty.' }),
  ),
});
export type Overview = Static<typeof Overview>;

/** Routes of users: `decisions.md 8.1`. */
export const routes = defineRoutes({
  register: {
    method: 'POST',
    path: '/api/auth/register',
    access: 'public',
    summary: 'Make a user account',
    description:
      'A link by which the address is verified is mailed there, in the language of `Accept-Language` if there are texts ' +
      'in it. Limited for each network address to a tenth of what a credential may ask.',
    headers: { 'accept-language': { description: 'English or German; the language of mails.' } },
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
      'A wrong address and a wrong password answer alike. 10 failures in 15 minutes for one account, 100 from ' +
      'one network address, and further attempts are refused. Where the second factor is on, the right password without ' +
      'its code is `totp_required`. Of more than 100 sessions of a user those end that were not used for longest.',
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
      'For the console, where you say so. The program makes a verifier, and has you bring its challenge (RFC 7636, S256) ' +
      'to the console and the code back; nobody else can use the code. Good once, for a minute, while your session goes on.',
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
    description: 'With a session of its own. Limited for each network address as registering is.',
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
      'May be repeated with the same token, should an answer get lost, until a token that it gave is used. An ' +
      'older token that comes back ends the session. A console sends no body, but its cookie, and gets the next one so; ' +
      'of that the tabs of a browser may be ten seconds late.',
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
      'Succeeds for a token that is not known, too. The access tokens of the session end with it. A console sends no ' +
      'body, but its cookie, which is taken away.',
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
    description: 'Once, within 7 days.',
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
      'Where it is verified already, nothing is mailed; nor after 5 links in an hour. Limited for each network address as ' +
      'registering is.',
    answer: [202, Type.Object({})],
    errors: [errors.rate_limited],
  },
  requestReset: {
    method: 'POST',
    path: '/api/auth/forgot',
    access: 'public',
    summary: 'Send a password-reset link by mail',
    description:
      'Answers alike whether somebody has the address or not. No more than 5 links an hour are mailed to one address. ' +
      'Limited for each network address as registering is.',
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
      'Once, within an hour. Ends every session of the user, access tokens included, and verifies the address. Where it ' +
      'was not verified before, the second factor goes as well.',
    body: Type.Object({ token: Type.String(), password: Password }),
    answer: [200, Type.Object({})],
    errors: [errors.invalid_token, errors.resource_unavailable],
  },
  getMe: {
    method: 'GET',
    path: '/api/me',
    access: 'user',
    summary: 'Read the signed-in user and their memberships',
    description: 'The ETag is that of `user` alone.',
    computed: ['stores', 'hasMoreStores', 'orgs', 'hasMoreOrgs', 'isReviewer', 'unavailable'],
    answer: [200, Overview],
  },
  changeMe: {
    method: 'PATCH',
    path: '/api/me',
    access: 'user',
    summary: 'Change your name, or the language of your mails',
    description: 'What is left out stays as it is.',
    body: Type.Partial(Type.Object({ name, locale: Type.Enum([...locales]) })),
    answer: [200, Me],
  },
  changePassword: {
    method: 'POST',
    path: '/api/auth/password',
    access: 'user',
    summary: 'Change your password',
    description:
      'Ends all other sessions, and the links by which a password could be set. A wrong present one counts as a failed ' +
      'login of the account. A mail tells the user.',
    body: Type.Object({ current: Type.String(), password: Password }),
    answer: [200, Type.Object({})],
    errors: [errors.invalid_login, errors.rate_limited, errors.resource_unavailable],
  },
  listSessions: {
    method: 'GET',
    path: '/api/me/sessions',
    access: 'user',
    summary: 'List where you are signed in',
    description: 'The one that was used last first. There are 100 at most.',
    answer: [200, Type.Object({ sessions: Type.Array(Session), total: Type.Integer() })],
  },
  endSession: {
    method: 'DELETE',
    path: '/api/me/sessions/{id}',
    access: 'user',
    summary: 'End one of your sessions',
    description: 'From the next request on, its access tokens included.',
    answer: [204, null],
  },
  endAllSessions: {
    method: 'DELETE',
    path: '/api/me/sessions',
    access: 'user',
    summary: 'Sign out everywhere',
    description: 'Ends all of your sessions, the one that asks too, from the next request on.',
    answer: [204, null],
  },
  getKeys: {
    method: 'GET',
    path: '/.well-known/jwks.json',
    access: 'public',
    summary: 'List the public keys that verify access tokens (RFC 7517)',
    description:
      'For services that verify user tokens by themselves. All keys that are accepted are here; while one is replaced there are two.',
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
      'The epoch, the user’s, was read before, so a change in between outdates what is kept under it.',
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
