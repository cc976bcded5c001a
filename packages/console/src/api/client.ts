import { type Client, createClient, errorOf, isWaybillError } from '@waybill/sdk';
import { withLostKey } from './lost-answers.ts';
import { reach } from './reach.ts';
import { session } from './session.ts';

/**
 * The API as the signed-in user. A token that the server no longer takes is replaced once; when that fails, whoever
 * watches the session shows the sign-in over what is open, and nothing typed is lost.
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
  // What was typed is wrong, and the session as good as before: a second try would count as a second failure.
  if (wrongInput.has((await errorOf(response.clone())).code)) return response;
  const sent = request.headers.get('authorization')?.slice('Bearer '.length) ?? null;
  session.distrust(sent);
  const fresh = await session.token();
  if (!fresh) return response;
  again.headers.set('authorization', `Bearer ${fresh}`);
  return reach(again);
}

/** What a request is refused for, with 401, whoever sends it. */
const wrongInput: ReadonlySet<string> = new Set(['invalid_login', 'invalid_code', 'totp_required']);

/** Whether a read is worth another try by itself: not for what is refused. */
export const isPassing = (error: unknown) =>
  isWaybillError(error) && (error.status === 0 || error.status >= 500);
