import { derivePublicKey } from '@waybill/kernel';
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import type { Config } from '../config.ts';

const lifeSeconds = 15 * 60;

export interface AccessTokens {
  /** Signs a JWT that names the user and the session. `expiresAt` (RFC 3339) is never later than the session's end. */
  sign(
    user: { id: string; email: string; name: string },
    session: { id: string; endsAt: Date },
  ): Promise<{ accessToken: string; expiresAt: string }>;
  /** Returns the JSON Web Key Set that verifies the tokens. */
  keySet(): Promise<{ keys: JWK[] }>;
}

/**
 * Creates access tokens. They are signed with an asymmetric key, so that services that verify tokens cannot create
 * them.
 */
export function createAccessTokens({ userTokenKeys, issuer }: Config): AccessTokens {
  const signingKey = userTokenKeys[0]!;
  // A key's id is its thumbprint, independent of its configured name, so that older tokens still find their key.
  const keys = Promise.all(
    userTokenKeys.map(async (key) => {
      const jwk = derivePublicKey(key).export({ format: 'jwk' }) as JWK;
      return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: 'EdDSA', use: 'sig' };
    }),
  );
  return {
    async sign({ id, email, name }, session) {
      const sessionEnd = Math.floor(session.endsAt.getTime() / 1000);
      const expiresAt = Math.min(Math.floor(Date.now() / 1000) + lifeSeconds, sessionEnd);
      const accessToken = await new SignJWT({ email, name, sid: session.id })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: (await keys)[0]!.kid })
        .setIssuer(issuer)
        .setAudience('waybill')
        .setSubject(id)
        .setIssuedAt()
        .setExpirationTime(expiresAt)
        .sign(signingKey);
      return { accessToken, expiresAt: new Date(expiresAt * 1000).toISOString() };
    },
    keySet: async () => ({ keys: await keys }),
  };
}
