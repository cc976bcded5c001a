import { createHash } from 'node:crypto';

/** What proves that whoever brings a code has asked for it, and what it was asked for with (RFC 7636). */
export const codeVerifier = 'the-verifier-of-every-client-here-0123456789-abc';
export const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
