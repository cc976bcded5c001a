/** Descriptions of errors that Node.js reports only by a code. */
const connectionProblems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it closed the connection before it answered',
  EPIPE: 'it closed the connection before it answered',
  UND_ERR_SOCKET: 'it closed the connection before it answered',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name could not be looked up',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  EADDRNOTAVAIL: 'there is no such address',
  ETIMEDOUT: 'it did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
  HPE_INVALID_CONSTANT: 'what it answers is not HTTP',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS: try http://',
};

const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  EACCES: 'may not be opened: permission denied',
  EPERM: 'may not be changed: permission denied',
  EISDIR: 'is a folder',
  ENOTDIR: 'has something in its path that is not a folder',
  EEXIST: 'is already there',
  ENOTEMPTY: 'is not empty',
  EROFS: 'is on a disk that cannot be written to',
  ENOSPC: 'does not fit: the disk is full',
  EMFILE: 'cannot be opened: too many files are open',
};

type SystemError = Error & { code?: string; path?: string; cause?: SystemError; errors?: SystemError[] };

/**
 * Describes why a connection failed: by the first cause with a description, else by the message of the deepest cause.
 */
export function describeConnectionProblem(error: unknown): string {
  const causes = [...walkCauses(error as SystemError)];
  const code = causes
    .map((cause) => cause.code ?? '')
    .find((each) => Object.hasOwn(connectionProblems, each));
  if (code) return connectionProblems[code]!;
  const { message, code: unknown } = causes.at(-1)!;
  return [
    message || 'the connection failed',
    ...(unknown && !message.includes(unknown) ? [`(${unknown})`] : []),
  ].join(' ');
}

/** Describes a problem with a file; null if the error is not about a file. */
export function describeFileProblem(error: unknown): string | null {
  const { code = '', path } = error as SystemError;
  return path && Object.hasOwn(fileProblems, code) ? `${path} ${fileProblems[code]}.` : null;
}

function* walkCauses(error: SystemError): Generator<SystemError> {
  yield error;
  // A name with several addresses fails with one error per address.
  for (const each of error.errors ?? []) yield* walkCauses(each);
  if (error.cause) yield* walkCauses(error.cause);
}
