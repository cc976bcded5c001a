import type { ErrorCode as ApiErrorCode } from './api.ts';

/** Error codes of the API and of this package. */
export type ErrorCode =
  | ApiErrorCode
  | 'unreachable'
  | 'unexpected_answer'
  | 'not_installed'
  | 'state_mismatch'
  | 'access_denied'
  | 'aborted'
  | WebhookErrorCode;

/** The reason why a webhook call is rejected. */
export type WebhookErrorCode =
  | 'webhook_not_signed'
  | 'webhook_too_old'
  | 'webhook_signature_invalid'
  | 'webhook_body_invalid';

/** A problem in one part of a body: an RFC 6901 pointer to it, and the reason. */
export interface Problem {
  pointer: string;
  message: string;
}

/**
 * A call that the API refused or could not carry out. `code` is for programs (`store-api.md 7`), `message` for people.
 * Also thrown if there was no answer at all: `status` 0 and code `unreachable`.
 */
export class WaybillError extends Error {
  override readonly name = 'WaybillError';
  /** An `ErrorCode`, or a code that only a newer server knows. */
  readonly code: string;
  /** HTTP status; 0 if no answer came. */
  readonly status: number;
  readonly problems: readonly Problem[];
  /** The whole body of the answer: some errors carry more than their code. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Identifies the request in the server's logs. */
  readonly requestId: string | null;
  /** The tag of the current state, if a condition of the request did not match it. */
  readonly etag: string | null;
  /** Time in milliseconds until a retry makes sense; null if unknown. */
  readonly retryAfterMs: number | null;

  constructor(
    code: string,
    message: string,
    {
      status = 0,
      body = {},
      headers = new Headers(),
      cause,
    }: { status?: number; body?: Record<string, unknown>; headers?: Headers; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.status = status;
    this.body = body;
    this.problems = Array.isArray(body.details) ? (body.details as Problem[]) : [];
    this.requestId = headers.get('x-request-id');
    this.etag = headers.get('etag');
    const seconds = Number.parseInt(headers.get('retry-after') ?? '', 10);
    this.retryAfterMs = seconds >= 0 ? seconds * 1000 : null;
  }
}

/** Whether a thrown value is an error of the API, with one of these codes if any are given. */
export function isWaybillError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is WaybillError & { readonly code: Code } {
  return error instanceof WaybillError && (codes.length === 0 || codes.some((code) => code === error.code));
}

/** Builds the error for an answer; an answer without Waybill's error body came from a proxy. */
export async function readError(response: Response): Promise<WaybillError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => '');
  const body = parse(text);
  return typeof body?.code === 'string'
    ? new WaybillError(body.code, String(body.error_description ?? body.error), { status, body, headers })
    : new WaybillError('unexpected_answer', `The server answered ${status}.`, { status, headers });
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
