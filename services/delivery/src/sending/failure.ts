import { errors } from 'undici';

/** A failure whose message is fit for the store's owner as it stands. */
export class Refusal extends Error {}

const words: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before a complete reply',
  EPIPE: 'the connection was closed before a complete reply',
  UND_ERR_SOCKET: 'the connection was closed before a complete reply',
  UND_ERR_HEADERS_OVERFLOW: 'the reply headers are too large',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'the connection took too long',
  EPROTO: 'the TLS handshake failed',
  CERT_HAS_EXPIRED: 'the TLS certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is for another host',
};

/** What went wrong, in words that show the store's owner nothing of our network or of secrets (`store-api.md 2.9`). */
export function describeFailure(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  const code = codeOf(error);
  if (code in words) return words[code]!;
  if (error instanceof errors.HTTPParserError) return 'the reply is not valid HTTP';
  if (/CERT|ISSUER|SIGNATURE|CRL|CHAIN/.test(code)) return 'the TLS certificate is not trusted';
  if (/^ERR_(SSL|TLS)_/.test(code)) return 'the TLS handshake failed';
  return 'the connection failed';
}

/** What a non-2xx status says; redirects are named, since their senders expect them to be followed. */
export function describeStatus(status: number): string {
  const redirect = status >= 300 && status < 400;
  return redirect ? `answered ${status}; redirects are not followed` : `answered ${status}`;
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}
