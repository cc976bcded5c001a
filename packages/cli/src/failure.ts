import { isWaybillError } from '@waybill/sdk';
import { describeFileProblem } from './system-errors.ts';

/** The exit codes of commands; the README lists them. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  notSignedIn: 3,
  notFound: 4,
  unreachable: 5,
  interrupted: 130,
} as const;

/** The reason why a command cannot continue, worded for its user: the problem and its remedy. */
export class Failure extends Error {
  readonly exitCode: number;
  readonly remedy: string;
  readonly code: string;

  constructor(
    message: string,
    {
      remedy = '',
      code = 'failed',
      exitCode = exitCodes.failed,
    }: { remedy?: string; code?: string; exitCode?: number } = {},
  ) {
    super(message);
    this.remedy = remedy;
    this.code = code;
    this.exitCode = exitCode;
  }
}

const remedies: Readonly<Record<string, string>> = {
  missing_credential: 'Sign in: `waybill login`.',
  api_key_required: 'That path requires an API key: set WAYBILL_API_KEY, or run `waybill login --api-key`.',
  invalid_credential: 'Sign in again: `waybill login`.',
  key_revoked: 'Sign in with another key: `waybill login --api-key`.',
  user_token_required:
    'That path is for people: run `waybill login` with an e-mail address, and unset WAYBILL_API_KEY.',
  insufficient_scope: 'Create a key with that permission in the console, under API keys.',
  insufficient_role: 'Ask an admin of the store for a higher role.',
  invalid_login: 'Check the address and the password; /console/forgot sets a new one.',
  rate_limited: 'Wait a moment and try again.',
  cursor_expired: 'The log does not go back that far: omit --after.',
  consent_required: 'The version now requests other scopes: try again.',
  too_many_versions: 'Delete unneeded drafts in the console, under Apps.',
  too_many_stores: 'Close a development store in the console, or name one in waybill.json (storeId).',
};

const findRemedy = (code: string, address: string): string | undefined =>
  code === 'unreachable'
    ? `Is Waybill running at ${address}? \`waybill login --url <address>\` chooses another one.`
    : remedies[code];

/** Converts any thrown value to the failure that a command reports. `address` is that of the server. */
export function toFailure(error: unknown, address = 'this address'): Failure {
  if (error instanceof Failure) return error;
  if (!isWaybillError(error))
    return new Failure(
      error instanceof Error ? (describeFileProblem(error) ?? error.message) : String(error),
    );
  const { code, status, problems, requestId } = error;
  // The variable takes precedence, so signing in again would not help.
  const isKeyFromEnvironment =
    process.env.WAYBILL_API_KEY && ['invalid_credential', 'key_revoked'].includes(code);
  // The message has the first problems already. Others may have the same words for another field.
  const lines = problems
    .filter(({ pointer, message }) => !error.message.includes(`${pointer || 'the body'} ${message}`))
    .slice(0, 20)
    .map(({ pointer, message }) => `\n  ${pointer || '/'} ${message}`);
  return new Failure(error.message + lines.join(''), {
    code,
    remedy: isKeyFromEnvironment
      ? 'The key comes from WAYBILL_API_KEY: set another there, or unset it to use your sign-in.'
      : (findRemedy(code, address) ??
        (status >= 500 && requestId ? `The server's logs name it ${requestId}.` : '')),
    exitCode: getExitCode(status),
  });
}

function getExitCode(status: number): number {
  if (status === 0) return exitCodes.unreachable;
  if (status === 401 || status === 403) return exitCodes.notSignedIn;
  return status === 404 ? exitCodes.notFound : exitCodes.failed;
}
