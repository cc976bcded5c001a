import { errors } from 'undici';

/** A failure whose message can be shown to the store's owner as it is. */
export class Refusal extends Error {}

const networkErrorTexts: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset before a complete reply',
  EPIPE: 'the connection was reset before a complete reply',
  UND_ERR_SOCKET: 'the connection was closed before a complete reply',
  UND_ERR_HEADERS_OVERFLOW: 'the reply headers are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the reply is not valid HTTP',
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name does not resolve',
  ECONNABORTED: 'the connection was reset before a complete reply',
  EADDRNOTAVAIL: 'the host cannot be reached',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'the connection took too long',
};

const untrusted = 'the TLS certificate is not trusted';
const certificateErrorTexts: Record<string, string> = {
  CERT_HAS_EXPIRED: 'the TLS certificate has expired',
  CERT_NOT_YET_VALID: 'the TLS certificate is not valid yet',
  CERT_REVOKED: 'the TLS certificate was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: `${untrusted}: it is self-signed`,
  SELF_SIGNED_CERT_IN_CHAIN: `${untrusted}: its chain ends in a self-signed one`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${untrusted}: an intermediate certificate is missing`,
  UNABLE_TO_GET_ISSUER_CERT: `${untrusted}: its issuer is unknown`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `${untrusted}: its issuer is unknown`,
};

const handshakeFailed = 'the TLS handshake failed';
const handshakeErrorTexts: readonly (readonly [RegExp, string])[] = [
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNKNOWN_PROTOCOL/,
    'the receiver does not speak TLS',
  ],
  [/UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|INAPPROPRIATE_FALLBACK/, 'no TLS version in common'],
  [/NO_SHARED_CIPHER|NO_CIPHERS|UNSUPPORTED_CIPHER/, 'no cipher in common'],
  [/DH_KEY_TOO_SMALL|EE_KEY_TOO_SMALL|CA_MD_TOO_WEAK/, 'the key is too weak'],
  [/UNRECOGNIZED_NAME/, 'the receiver does not know the host name'],
  [/CERTIFICATE_REQUIRED|BAD_CERTIFICATE/, 'the receiver wants a client certificate'],
  [/ALERT/, 'the receiver refused it'],
  [/^(?:ECONNRESET|ECONNABORTED|EPIPE)$/, 'the connection was closed'],
];

/** Describes why a TLS handshake failed. */
export function describeHandshake(error: unknown): string {
  const code = readErrorCode(error);
  if (code in certificateErrorTexts) return certificateErrorTexts[code]!;
  const reason = handshakeErrorTexts.find(([pattern]) => pattern.test(code))?.[1];
  if (reason) return `${handshakeFailed}: ${reason}`;
  return /CERT|ISSUER|SIGNATURE|CRL|CHAIN/.test(code) ? untrusted : handshakeFailed;
}

/** Describes a failure to the store's owner, without details of our network or secrets (`store-api.md 2.9`). */
export function describeFailure(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  const code = readErrorCode(error);
  // The receiver answered in another protocol, which the call did not ask for.
  const isUnrequestedUpgrade = error instanceof errors.SocketError && error.message === 'bad upgrade';
  if (isUnrequestedUpgrade || error instanceof errors.HTTPParserError) return 'the reply is not valid HTTP';
  if (code in networkErrorTexts) return networkErrorTexts[code]!;
  if (code in certificateErrorTexts || /^ERR_(SSL|TLS)_|^EPROTO$/.test(code)) return describeHandshake(error);
  return 'the connection failed';
}

/** Describes a status other than 2xx. Redirects are named because their senders expect them to be followed. */
export function describeStatus(status: number): string {
  const redirect = status >= 300 && status < 400;
  return redirect ? `answered ${status}; redirects are not followed` : `answered ${status}`;
}

function readErrorCode(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}
