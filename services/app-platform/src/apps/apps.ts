import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { hashCredential, newId, type Problem } from '@waybill/contracts';
import { audit } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { isLoopback } from '../loopback.ts';
import { type AppRow, findAppOfMember, insertApp, lockApp, updateApp } from './queries.ts';
import type { AppInput } from './routes.ts';

/** Makes an app, with the only showing of its client secret. Throws `invalid_body`. `decisions.md 7.3`. */
export async function createApp(
  { transaction }: Context,
  orgId: string,
  { name, redirectUris = [] }: AppInput,
): Promise<{ row: AppRow; clientSecret: string }> {
  checkRedirectUris(redirectUris);
  const { clientSecret, hash } = newClientSecret();
  const app = {
    id: newId('app'),
    org_id: orgId,
    name,
    client_secret_hash: hash,
    redirect_uris: redirectUris,
  };
  const row = await transaction(async (trx) => {
    await audit(trx, orgId, 'app.created', app);
    return insertApp(trx, app);
  });
  return { row, clientSecret };
}

/** Changes what is given and differs. Throws `invalid_body`. */
export async function changeApp(
  { transaction }: Context,
  appId: string,
  { name, redirectUris }: Partial<AppInput>,
): Promise<AppRow> {
  checkRedirectUris(redirectUris ?? []);
  return transaction(async (trx) => {
    const app = (await lockApp(trx, appId))!;
    const wanted = { name: name ?? app.name, redirect_uris: redirectUris ?? app.redirect_uris };
    const changed = [
      ...(wanted.name === app.name ? [] : ['name']),
      ...(isDeepStrictEqual(wanted.redirect_uris, app.redirect_uris) ? [] : ['redirectUris']),
    ];
    if (changed.length === 0) return app;
    await audit(trx, app.org_id, 'app.updated', { id: appId, name: wanted.name }, { changed });
    return updateApp(trx, appId, wanted);
  });
}

/** Gives the app a new client secret in place of the old one. */
export async function replaceClientSecret(
  { transaction }: Context,
  appId: string,
): Promise<{ row: AppRow; clientSecret: string }> {
  const { clientSecret, hash } = newClientSecret();
  const row = await transaction(async (trx) => {
    const app = await updateApp(trx, appId, { client_secret_hash: hash });
    await audit(trx, app.org_id, 'app.secretReplaced', app);
    return app;
  });
  return { row, clientSecret };
}

/** The app as its path names it, for a member of its organisation. Throws `not_found`: `decisions.md 7.2`. */
export async function requireApp(
  { db }: Context,
  path: { orgId: string; appId: string },
  userId: string,
): Promise<AppRow> {
  const app = await findAppOfMember(db, path, userId);
  if (!app) throw errors.not_found();
  return app;
}

/** 256 random bits, so a plain hash keeps them. */
function newClientSecret(): { clientSecret: string; hash: string } {
  const clientSecret = randomBytes(32).toString('base64url');
  return { clientSecret, hash: hashCredential(clientSecret) };
}

/** RFC 6749 3.1.2: absolute, without a fragment; and nothing that looks as if it stood for several (RFC 9700, 2.1). */
function checkRedirectUris(uris: readonly string[]): void {
  const details = uris.flatMap((uri, i): Problem[] => {
    const url = /^[\x21-\x7e]+$/.test(uri) && !/[#*]/.test(uri) ? URL.parse(uri) : null;
    const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
    const message =
      'must be an absolute https URL (http on loopback) without credentials, wildcard or fragment';
    return isSecure && !url.username && !url.password ? [] : [{ pointer: `/redirectUris/${i}`, message }];
  });
  if (details.length > 0) throw errors.invalid_body({ details });
}
