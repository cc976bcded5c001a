import { idPattern, type Principal } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type, { type Static, type TSchema } from 'typebox';
import { oauthErrors } from './errors.ts';

export const TokenAnswer = Type.Object(
  {
    access_token: Type.String({ examples: ['wba_…'] }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'In seconds.', examples: [3600] }),
    refresh_token: Type.String({ examples: ['wbr_…'] }),
    scope: Type.String({
      description: 'The permissions that the install currently grants, separated by spaces.',
    }),
    store_id: Type.String({ pattern: idPattern('store') }),
  },
  { $id: 'TokenAnswer' },
);
export type TokenAnswer = Static<typeof TokenAnswer>;

const texts = (...examples: string[]) => Type.Array(Type.String(), { examples: [examples] });
const address = (path: string) => Type.String({ examples: [`https://api.example.com${path}`] });
/** RFC 8414, section 2. */
export const ServerMetadata = Type.Object({
  issuer: Type.String({
    description: 'Also the `iss` of redirects (RFC 9207).',
    examples: ['https://api.example.com'],
  }),
  authorization_endpoint: address('/oauth/authorize'),
  token_endpoint: address('/oauth/token'),
  revocation_endpoint: address('/oauth/revoke'),
  service_documentation: address('/docs'),
  response_types_supported: texts('code'),
  response_modes_supported: texts('query'),
  grant_types_supported: texts('authorization_code', 'refresh_token'),
  code_challenge_methods_supported: texts('S256'),
  token_endpoint_auth_methods_supported: texts('client_secret_basic', 'client_secret_post'),
  revocation_endpoint_auth_methods_supported: texts('client_secret_basic', 'client_secret_post'),
  authorization_response_iss_parameter_supported: Type.Boolean({ examples: [true] }),
  scopes_supported: texts('products.read', 'appdata.write'),
});
export type ServerMetadata = Static<typeof ServerMetadata>;

/** The pattern of a PKCE challenge with S256 (RFC 7636, 4.2): 32 bytes in base64url. */
export const challengePattern = '^[A-Za-z0-9_-]{43}$';
/** Maximum length in characters of the state that an app gets back. */
export const maxStateLength = 2000;

const client = {
  client_id: Type.Optional(Type.String({ examples: ['app_01kakk9zg00000000000000000'] })),
  client_secret: Type.Optional(Type.String({ examples: ['q0v5mJ9x1Kc8b2Yd4Rf6Tg0Zq7uVw3v5mJ9x1Kc8b2Y'] })),
};
// The parts are named, because client generators then produce better names than `TokenRequestAnyOf1`.
const TokenRequest = Type.Union(
  [
    Type.Object(
      {
        grant_type: Type.Literal('authorization_code'),
        code: Type.String({
          description: 'The code from the redirect; valid once within 60 seconds.',
          examples: ['3Kc8b2Yd4Rf6'],
        }),
        redirect_uri: Type.String({
          description: 'The same as in the authorization request.',
          examples: ['https://example.com/callback'],
        }),
        code_verifier: Type.String({
          description: 'The verifier of the code challenge (RFC 7636).',
          examples: ['dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'],
        }),
        ...client,
      },
      { $id: 'AuthorizationCodeGrant' },
    ),
    Type.Object(
      {
        grant_type: Type.Literal('refresh_token'),
        refresh_token: Type.String({ examples: ['wbr_4Rf6Tg0Zq7uVw3v5mJ9x1Kc8b2Yd'] }),
        ...client,
      },
      { $id: 'RefreshTokenGrant' },
    ),
  ],
  { $id: 'TokenRequest' },
);
const RevocationRequest = Type.Object(
  { token: Type.String({ examples: ['wbr_4Rf6Tg0Zq7uVw3v5mJ9x1Kc8b2Yd'] }), ...client },
  { $id: 'RevocationRequest' },
);
/**
 * Describes a body that may be JSON or a form. JSON comes first, because openapi-generator treats the parts of a union
 * as unused when it meets them in a form first.
 */
const asFormOrJson = (schema: TSchema) => ({
  'application/json': schema,
  'application/x-www-form-urlencoded': schema,
});
const authentication =
  'The client is the app: its ID and secret are in the body (`client_id`, `client_secret`) or in HTTP Basic, not ' +
  'both. Errors are those of RFC 6749: `{ error, error_description, code }`.';
const commonErrors = [
  oauthErrors.invalid_request,
  oauthErrors.invalid_grant,
  oauthErrors.invalid_client,
  oauthErrors.body_too_large,
  oauthErrors.rate_limited,
];

const optionalParameter = (description: string) => Type.Optional(Type.String({ description }));
const requiredParameter = (description: string) =>
  Type.Optional(Type.String({ isRequired: true, description }));

/** `decisions.md 7.7, 14.1`, and the routes by which the gateway checks app tokens. */
export const routes = defineRoutes({
  getServerMetadata: {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    access: 'public',
    summary: 'Read the metadata of this authorization server (RFC 8414)',
    description:
      'The OAuth endpoints and their capabilities: PKCE with `S256` only, codes and refresh tokens.',
    answer: [200, ServerMetadata],
  },
  beginAuthorization: {
    method: 'GET',
    path: '/oauth/authorize',
    access: 'public',
    summary: 'Start the authorization of an app by a merchant (RFC 6749, 4.1.1)',
    description:
      'An app sends the merchant here, who is redirected to the console’s consent page, and from there back to ' +
      'the app with `code`, `state` and `iss`. Errors in the request redirect back at once, before any ' +
      'sign-in, with `error` of RFC 6749, 4.1.2.1. An unknown app or address gets an error page (`400`).',
    query: Type.Object({
      response_type: requiredParameter('`code`.'),
      client_id: requiredParameter('The ID of the app.'),
      redirect_uri: requiredParameter('An address registered by the app, exactly as written there.'),
      scope: optionalParameter(
        'Separated by spaces; by default the requests of the version to be installed.',
      ),
      state: optionalParameter(`Returned unchanged; at most ${maxStateLength} characters.`),
      code_challenge: requiredParameter('PKCE: BASE64URL(SHA-256(verifier)).'),
      code_challenge_method: requiredParameter('`S256`.'),
    }),
    contentType: 'text/html',
    answer: [302, Type.String({ description: 'Empty; `Location` is the browser’s next address.' })],
  },
  exchangeToken: {
    method: 'POST',
    path: '/oauth/token',
    access: 'public',
    summary: 'Exchange a code or a refresh token for an access token',
    description:
      `${authentication} \`grant_type=authorization_code\` takes \`code\`, \`redirect_uri\` and \`code_verifier\`. ` +
      '`grant_type=refresh_token` takes `refresh_token`, which is replaced: the exchange can be repeated until ' +
      'a token of the new pair is used; if a used refresh token is sent later, all tokens of the install end.',
    streamedBodies: asFormOrJson(TokenRequest),
    answer: [200, TokenAnswer],
    errors: [...commonErrors, oauthErrors.unsupported_grant_type, oauthErrors.invalid_scope],
  },
  revokeToken: {
    method: 'POST',
    path: '/oauth/revoke',
    access: 'public',
    summary: 'Revoke a token (RFC 7009)',
    description:
      `${authentication} Takes \`token\`. Revoking a refresh token revokes all tokens of the install; an unknown ` +
      'token is not an error.',
    streamedBodies: asFormOrJson(RevocationRequest),
    answer: [200, null],
    errors: commonErrors,
  },
  resolveAppToken: {
    method: 'POST',
    path: '/internal/app-tokens/resolve',
    access: 'service',
    summary: 'Read the current rights of an app token, for the gateway',
    description:
      'The epoch was read before the facts, so a change in between invalidates entries cached under it. ' +
      '`revoked`: the app is disabled or suspended, and can come back.',
    body: Type.Object({ hash: Type.String({ description: 'The SHA-256 of the token, hex.' }) }),
    answer: [
      200,
      Type.Object({
        epoch: Type.String(),
        storeId: Type.String(),
        outcome: Type.Enum(['ok', 'revoked']),
        principal: Type.Unsafe<Principal>(Type.Object({}, { additionalProperties: true })),
        expiresAt: Type.Integer({ description: 'Milliseconds since the epoch.' }),
      }),
    ],
  },
});
