import { type Client, createClient, errorOf, isWaybillError } from '@waybill/sdk';
import { withLostKey } from './lost-answers.ts';
import { reach } from './reach.ts';
import { session } from './session.ts';

/**
 * The API client of the signed-in user. If the server rejects the access token, it is replaced once. If that fails too,
 * the session reports it, and the sign-in opens over the current screen without losing typed text.
 */
export const api: Client = createClient({
  baseUrl: location.origin,
  credential: () => session.token(),
  fetch: (request) => withLostKey(request, reachSignedIn),
});

async function reachSignedIn(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await reach(request);
  if (response.status !== 401) return response;
  // The input was wrong, not the session. A second try would count as a second failed attempt.
  if (wrongInput.has((await errorOf(response.clone())).code)) return response;
  const sent = request.headers.get('authorization')?.slice('Bearer '.length) ?? null;
  session.distrust(sent);
  const fresh = await session.token();
  if (!fresh) return response;
  again.headers.set('authorization', `Bearer ${fresh}`);
  return reach(again);
}

/** Error codes of a 401 that the input causes, not the session. */
const wrongInput: ReadonlySet<string> = new Set(['invalid_login', 'invalid_code', 'totp_required']);

/** Whether a failed read may succeed if repeated: no answer or a server error, but not a refusal. */
export const isTransientError = (error: unknown) =>
  isWaybillError(error) && (error.status === 0 || error.status >= 500);
