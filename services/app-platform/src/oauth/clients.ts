import { timingSafeEqual } from 'node:crypto';
import { hashCredential, idPattern } from '@waybill/contracts';
import { type Cache, getNetwork } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { oauthErrors } from './errors.ts';
import type { Parameters } from './parameters.ts';
import { findSecretHash } from './queries.ts';

const appId = new RegExp(idPattern('app'));

/**
 * Authenticates the app that makes a request and returns its id. The secret comes in the body or as HTTP Basic (RFC
 * 6749, 2.3.1).
 * @throws invalid_request, invalid_client, rate_limited
 */
export async function authenticateClient(
  { db, cache }: Pick<Context, 'db' | 'cache'>,
  authorization: string | undefined,
  parameters: Parameters,
  address: string,
): Promise<string> {
  const isBasic = authorization !== undefined;
  const credentials = isBasic ? readBasic(authorization, parameters) : readBody(parameters);
  const refusal = oauthErrors.invalid_client({
    headers: isBasic ? { 'www-authenticate': 'Basic realm="oauth", charset="UTF-8"' } : {},
  });
  const secretHash = credentials && appId.test(credentials.id) && (await findSecretHash(db, credentials.id));
  if (!secretHash) throw refusal;
  const failures = `oauth:client:${credentials.id}:${getNetwork(address)}`;
  await checkFailures(cache, failures);
  // Hex hashes always have equal lengths.
  if (!timingSafeEqual(Buffer.from(hashCredential(credentials.secret)), Buffer.from(secretHash))) {
    await cache.count(failures, windowSeconds, 1);
    throw refusal;
  }
  return credentials.id;
}

interface ClientCredentials {
  id: string;
  secret: string;
}

function readBody(parameters: Parameters): ClientCredentials | null {
  const [id, secret] = [parameters.get('client_id'), parameters.get('client_secret')];
  return id && secret ? { id, secret } : null;
}

function readBasic(authorization: string, parameters: Parameters): ClientCredentials | null {
  if (parameters.has('client_secret')) {
    throw oauthErrors.invalid_request({
      message: 'Give the client credentials in the body or as HTTP Basic, not both.',
    });
  }
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1] ?? '';
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  const id = formDecoded(text.slice(0, Math.max(0, colon)));
  const secret = formDecoded(text.slice(colon + 1));
  if (!id || !secret) return null;
  if (parameters.has('client_id') && parameters.get('client_id') !== id) {
    throw oauthErrors.invalid_request({
      message: 'The client_id differs from the one in the Authorization header.',
    });
  }
  return { id, secret };
}

/**
 * Decodes an id or secret, which are form-encoded before they are joined (RFC 6749, 2.3.1); null when it is malformed.
 */
function formDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

const windowSeconds = 15 * 60;
const maxFailures = 100;

/**
 * Limits guessing (RFC 6749, 2.3.1), hopeless as it is with a secret of 256 bits. Failures are counted by client and
 * address: a client's id is public, so counting by client alone would let anybody lock it out. Throws `rate_limited`.
 */
async function checkFailures(cache: Cache, key: string): Promise<void> {
  const { count, resetSeconds } = await cache.count(key, windowSeconds, 0);
  if (count < maxFailures) return;
  throw oauthErrors.rate_limited({ headers: { 'retry-after': String(Math.max(1, resetSeconds)) } });
}
