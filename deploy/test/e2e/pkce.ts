import { createHash } from 'node:crypto';

/** The proof that a code is redeemed by the client that requested it, and its challenge (RFC 7636). */
export const codeVerifier = 'the-verifier-of-every-client-here-0123456789-abc';
export const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
