import { idPattern, type Principal } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { oauthErrors } from './errors.ts';

export const TokenAnswer = Type.Object(
  {
    access_token: Type.String({ examples: ['wba_…'] }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds.', examples: [3600] }),
    refresh_token: Type.String({ examples: ['wbr_…'] }),
    scope: Type.String({ description: 'What the install grants at present, separated by spaces.' }),
    store_id: Type.String({ pattern: idPattern('store') }),
  },
  { $id: 'TokenAnswer' },
);
export type TokenAnswer = Static<typeof TokenAnswer>;

const takes = { 'application/x-www-form-urlencoded': Type.Object({}), 'application/json': Type.Object({}) };
const authentication =
  'The client is the app: its id and secret stand in the body (`client_id`, `client_secret`) or in HTTP Basic, not ' +
  'both. Errors are those of RFC 6749: `{ error, error_description, code }`.';
const commonErrors = [
  oauthErrors.invalid_request,
  oauthErrors.invalid_grant,
  oauthErrors.invalid_client,
  oauthErrors.body_too_large,
  oauthErrors.rate_limited,
];

/** `decisions.md 7.7`, and what the gateway asks of app tokens. */
export const routes = defineRoutes({
  exchangeToken: {
    method: 'POST',
    path: '/oauth/token',
    access: 'public',
    summary: 'Exchange a code or a refresh token for an access token',
    description:
      `${authentication} \`grant_type=authorization_code\` takes \`code\`, \`redirect_uri\` and, when the install ` +
      'was made with a challenge, `code_verifier`. `grant_type=refresh_token` takes `refresh_token`, which is ' +
      'replaced: the exchange may be repeated until a token of the new pair is used; a used one that comes back ' +
      'later ends all tokens of the install.',
    takes,
    answer: [200, TokenAnswer],
    errors: [...commonErrors, oauthErrors.unsupported_grant_type, oauthErrors.invalid_scope],
  },
  revokeToken: {
    method: 'POST',
    path: '/oauth/revoke',
    access: 'public',
    summary: 'Revoke a token (RFC 7009)',
    description:
      `${authentication} Takes \`token\`. A refresh token takes all tokens of the install along; an unknown token ` +
      'is no error.',
    takes,
    answer: [200, null],
    errors: commonErrors,
  },
  resolveAppToken: {
    method: 'POST',
    path: '/internal/app-tokens/resolve',
    access: 'service',
    summary: 'What an app token is good for at present, for the gateway',
    description:
      'The epoch was read before the facts, so a change in between outdates what is kept under it. `revoked`: its ' +
      'app is disabled or suspended, and may come back.',
    body: Type.Object({ hash: Type.String({ description: 'SHA-256 of the token, hex.' }) }),
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
