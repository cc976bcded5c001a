import { ApiError, type ErrorExtras } from '@waybill/contracts';

/** Headers of every answer with credentials (RFC 6749, 5.1 and 5.2). */
export const noStoreHeaders = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** Defines an error in the format of OAuth clients (RFC 6749, 5.2): `{ error, error_description, code }`. */
function define(code: string, status: number, text: string) {
  return (extras: ErrorExtras = {}): ApiError => {
    const { message = text } = extras;
    return new ApiError(code, status, message, {
      ...extras,
      headers: { ...noStoreHeaders, ...extras.headers },
      fields: { error: code, error_description: message },
    });
  };
}

/** The errors of the token and revocation endpoints: `decisions.md 7.7`. */
export const oauthErrors = {
  invalid_request: define('invalid_request', 400, 'The request is malformed.'),
  invalid_client: define('invalid_client', 401, 'The client is unknown, or did not prove to be who it says.'),
  invalid_grant: define(
    'invalid_grant',
    400,
    'It is not valid, has expired, or was given to another client.',
  ),
  invalid_scope: define('invalid_scope', 400, 'The scope asked for is more than what was granted.'),
  unsupported_grant_type: define(
    'unsupported_grant_type',
    400,
    'The grant_type is authorization_code or refresh_token.',
  ),
  body_too_large: define('body_too_large', 413, 'The request body is larger than 64 KiB.'),
  rate_limited: define('rate_limited', 429, 'Too many failed attempts; wait before the next one.'),
};
