import type { ErrorCode as ApiErrorCode } from './api.ts';

/** The codes of errors: the API's, and this package's own. */
export type ErrorCode =
  | ApiErrorCode
  | 'unreachable'
  | 'unexpected_answer'
  | 'not_installed'
  | 'state_mismatch'
  | 'access_denied'
  | 'aborted'
  | WebhookErrorCode;

/** Why a webhook call is not good. */
export type WebhookErrorCode =
  | 'webhook_not_signed'
  | 'webhook_too_old'
  | 'webhook_signature_invalid'
  | 'webhook_body_invalid';

/** What is wrong with one part of a body: an RFC 6901 pointer into it, and why. */
export interface Problem {
  pointer: string;
  message: string;
}

/**
 * What the API refused, or could not do: programs go by `code` (`store-api.md 7`), people read `message`. Also thrown
 * when there was no answer at all: `status` 0 and code `unreachable`.
 */
export class WaybillError extends Error {
  override readonly name = 'WaybillError';
  /** An `ErrorCode`, or one that a newer server has. */
  readonly code: string;
  /** Of HTTP; 0 where no answer came. */
  readonly status: number;
  readonly problems: readonly Problem[];
  /** All of the answer: some errors carry more than their code. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Names the request in the server's logs. */
  readonly requestId: string | null;
  /** The tag of the state that a condition did not meet. */
  readonly etag: string | null;
  /** When another try makes sense, from now; null where nobody says. */
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

/** Whether something that was thrown is the API's refusal, and with one of these codes where any are named. */
export function isWaybillError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is WaybillError & { readonly code: Code } {
  return error instanceof WaybillError && (codes.length === 0 || codes.some((code) => code === error.code));
}

/** The error that an answer tells; one without our envelope is a proxy's. */
export async function errorOf(response: Response): Promise<WaybillError> {
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
