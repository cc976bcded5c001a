/** One problem in a request: its place (an RFC 6901 pointer) and a message. */
export interface Problem {
  pointer: string;
  message: string;
  code?: string;
}

export interface ErrorExtras {
  /** Replaces the definition's message by a clearer one for this case. */
  message?: string;
  details?: Problem[];
  /** Further members of the envelope, such as `used` and `limit` of `quota_exceeded`. */
  fields?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** An error answer. Only the kernel turns it into `{ error, code, … }` with its status. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: Problem[] | undefined;
  readonly fields: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: string, status: number, message: string, extras: ErrorExtras = {}) {
    super(extras.message ?? withProblems(code, message, extras.details));
    this.code = code;
    this.status = status;
    this.details = extras.details;
    this.fields = extras.fields ?? {};
    this.headers = extras.headers ?? {};
  }

  /** Returns the JSON envelope, `store-api.md 2.1`. */
  envelope(): Record<string, unknown> {
    return {
      error: this.message,
      code: this.code,
      ...(this.details && { details: this.details }),
      ...this.fields,
    };
  }
}

/** Number of problems in the message: `details` has all of them. */
const maxReported = 3;

/** Returns the message of `invalid_body` with its first problems, because many clients show only the message. */
function withProblems(code: string, message: string, details: readonly Problem[] = []): string {
  if (code !== 'invalid_body' || details.length === 0) return message;
  const reported = details.slice(0, maxReported).map(describeProblem);
  const more = details.length > reported.length ? '; and more' : '';
  return `${message.replace(/\.$/, '')}: ${reported.join('; ')}${more}.`;
}

/** Returns a problem with its place. Some problems of the whole body are sentences that name it themselves. */
function describeProblem({ pointer, message }: Problem): string {
  const isSentence = pointer === '' && /^[A-Z].*\.$/s.test(message);
  return isSentence ? message.slice(0, -1) : `${pointer || 'the body'} ${message}`;
}

export type ErrorTable = Readonly<Record<string, readonly [status: number, message: string]>>;
export type Errors<T extends ErrorTable> = { readonly [Code in keyof T]: (extras?: ErrorExtras) => ApiError };

/** Turns a table `code → [status, message]` into functions that create the errors: `throw errors.not_found()`. */
export function defineErrors<const T extends ErrorTable>(table: T): Errors<T> {
  return Object.fromEntries(
    Object.entries(table).map(([code, [status, message]]) => [
      code,
      (extras?: ErrorExtras) => new ApiError(code, status, message, extras),
    ]),
  ) as Errors<T>;
}

/** The errors that any service may answer; a service's own codes are in its `errors.ts`. `store-api.md 7.1`. */
export const errors = defineErrors({
  missing_credential: [401, 'This request needs an Authorization header with a bearer credential.'],
  api_key_required: [401, 'This API takes an API key (wbk_…) or an app access token (wba_…).'],
  refresh_token_not_accepted: [401, 'A refresh token is not accepted here; exchange it at /oauth/token.'],
  invalid_credential: [401, 'This API key does not exist.'],
  key_revoked: [401, 'This API key was revoked.'],
  app_token_invalid: [401, 'This app token is not valid, has expired, or its app is no longer installed.'],
  user_token_required: [401, 'This request needs the access token of a signed-in user.'],
  insufficient_scope: [403, 'The credential lacks the permission that this request needs.'],
  insufficient_role: [403, 'Your role in this store does not allow this.'],
  key_unusable: [403, 'The scopes of this API key are no longer valid; make a new key.'],
  not_found: [404, 'This resource does not exist.'],
  unknown_resource: [404, 'Version 1 of this API has no resource at this path.'],
  method_not_allowed: [405, 'This resource does not support that method.'],
  invalid_body: [400, 'The request body is not valid.'],
  invalid_status: [400, 'That status is not allowed here.'],
  invalid_cursor: [400, 'This cursor belongs to another list, or to another filter or order of this list.'],
  invalid_price: [400, 'A price is a whole, non-negative number of minor currency units.'],
  invalid_slug: [
    400,
    'A slug consists of lower-case letters, digits and single hyphens, at most 120 characters.',
  ],
  invalid_custom_field: [400, 'A custom field is unknown or has a wrong value.'],
  duplicate_email: [409, 'This e-mail address is taken.'],
  duplicate_slug: [409, 'This slug is taken.'],
  out_of_stock: [409, 'There is not enough stock.'],
  invalid_state: [409, 'The current state does not allow this.'],
  idempotency_in_progress: [409, 'The first request of this Idempotency-Key is still running; try again.'],
  idempotency_key_reused: [422, 'This Idempotency-Key was used for another request.'],
  invalid_idempotency_key: [400, 'An Idempotency-Key is 1 to 255 visible ASCII characters.'],
  precondition_failed: [412, 'The resource has changed since you read it; read it again and retry.'],
  body_too_large: [413, 'The request body is larger than 1 MiB.'],
  quota_exceeded: [413, 'The quota does not have enough bytes left.'],
  rate_limited: [429, 'Too many requests; wait before the next one.'],
  internal_error: [500, 'Something went wrong on our side.'],
  resource_unavailable: [503, 'This resource is not available right now; try again later.'],
});
