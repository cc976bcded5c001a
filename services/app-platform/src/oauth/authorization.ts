import { idPattern, permissions } from '@waybill/contracts';
import { isTemporary, type RouteRequest } from '@waybill/kernel';
import { findApp } from '../apps/queries.ts';
import type { Context } from '../config.ts';
import type { buildAddresses } from './addresses.ts';
import { isInDevelopment, listKnownScopes } from './queries.ts';
import { redirectTo } from './redirects.ts';
import { challengePattern, maxStateLength } from './routes.ts';

const appIds = new RegExp(idPattern('app'));
const challenge = new RegExp(challengePattern);

/** The target of an authorisation request, or the text of a page when no redirect is possible. */
export type AuthorizationTarget = { location: string } | { problem: string };

/** The parameters that the consent page gets unchanged. */
const forwardedParameters = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
];

/**
 * Checks an authorisation request, given as its query. A valid one leads to the console's consent page, an invalid one
 * back to the app with the codes of RFC 6749, 4.1.2.1. Never redirects to an address that the app has not registered
 * (`decisions.md 14.1`).
 */
export async function resolveAuthorization(
  { db }: Pick<Context, 'db'>,
  { base, issuer }: ReturnType<typeof buildAddresses>,
  query: string,
  log: RouteRequest['log'],
): Promise<AuthorizationTarget> {
  const parameters = new QueryParameters(query);
  const [clientId, redirectUri] = [parameters.getSingle('client_id'), parameters.getSingle('redirect_uri')];
  const app = clientId && appIds.test(clientId) ? await findApp(db, clientId) : undefined;
  if (!app) return { problem: 'The app that led you here is not known (client_id).' };
  if (!redirectUri || !app.redirect_uris.includes(redirectUri)) {
    return { problem: 'The app that led you here gave an address it has not registered (redirect_uri).' };
  }
  const refusal =
    checkRequest(parameters) ??
    (app.suspended_at ? createRefusal('unauthorized_client', 'This app is suspended.') : null) ??
    (await checkScope(db, app.id, parameters.getSingle('scope')).catch((err: unknown) => {
      if (isTemporary(err)) return createRefusal('temporarily_unavailable', 'Try again in a moment.');
      log.error({ err }, 'a request for authorisation failed');
      return createRefusal('server_error', 'Something went wrong on our side.');
    }));
  if (refusal) {
    return {
      location: redirectTo(redirectUri, { ...refusal, state: parameters.getSingle('state'), iss: issuer }),
    };
  }
  const consentParameters = new URLSearchParams();
  for (const name of forwardedParameters) {
    const value = parameters.getSingle(name);
    if (value !== undefined) consentParameters.set(name, value);
  }
  return { location: `${base}/console/oauth/authorize?${consentParameters}` };
}

interface Refusal {
  error: string;
  error_description: string;
}
const createRefusal = (error: string, error_description: string): Refusal => ({ error, error_description });

/** The parameters of a query. Those without a value count as absent (RFC 6749, 3.1). */
class QueryParameters {
  /** Null for a parameter given twice. */
  readonly #values = new Map<string, string | null>();

  constructor(query: string) {
    for (const [name, value] of new URLSearchParams(query)) {
      if (value !== '') this.#values.set(name, this.#values.has(name) ? null : value);
    }
  }

  /** Returns the value of a parameter; undefined also when it is given twice, because it is then ambiguous. */
  getSingle(name: string): string | undefined {
    return this.#values.get(name) ?? undefined;
  }

  get hasRepeated(): boolean {
    return [...this.#values.values()].includes(null);
  }
}

/** Returns the problem of a request that does not depend on the app; null when there is none. */
function checkRequest(parameters: QueryParameters): Refusal | null {
  const invalid = (text: string) => createRefusal('invalid_request', text);
  if (parameters.hasRepeated) return invalid('A parameter appears in the request more than once.');
  const responseType = parameters.getSingle('response_type');
  if (!responseType) return invalid('The parameter response_type is missing.');
  if (responseType !== 'code')
    return createRefusal('unsupported_response_type', 'The response_type must be code.');
  if ((parameters.getSingle('response_mode') ?? 'query') !== 'query')
    return invalid('The response_mode must be query.');
  if ((parameters.getSingle('state')?.length ?? 0) > maxStateLength) {
    return invalid(`The state must have at most ${maxStateLength} characters.`);
  }
  // The default method, plain (RFC 7636, 4.3), is not supported.
  if (parameters.getSingle('code_challenge_method') !== 'S256') {
    return invalid('PKCE is required: the code_challenge_method must be S256.');
  }
  if (!challenge.test(parameters.getSingle('code_challenge') ?? '')) {
    return invalid('PKCE is required: the code_challenge must be BASE64URL(SHA-256(code_verifier)).');
  }
  return null;
}

/**
 * Refuses a scope that no version of the app has ever asked for, because no store can have granted it. The scopes that
 * a store may grant are known only later. An app that was never approved may name any scope, because its versions are
 * its organisation's secret; an app being tried in a development store may ask for new ones.
 */
async function checkScope(db: Context['db'], id: string, scope: string | undefined): Promise<Refusal | null> {
  const requested = (scope ?? '').split(' ').filter((each) => each !== '');
  const known = await listKnownScopes(db, id);
  if (requested.every((each) => known.includes(each))) return null;
  const isOpen = known.length === 0 || (await isInDevelopment(db, id));
  const all: readonly string[] = permissions;
  if (isOpen && requested.every((each) => all.includes(each))) return null;
  return createRefusal('invalid_scope', 'The scope contains more than the app asks stores for.');
}
