import { type Client, createClient, isWaybillError } from '@waybill/sdk';
import { session } from './session.ts';

/**
 * The API as the signed-in user. A token that the server no longer takes is replaced once; when that fails, whoever
 * watches the session shows the sign-in over what is open, and nothing typed is lost.
 */
export const api: Client = createClient({
  baseUrl: location.origin,
  credential: () => session.token(),
  async fetch(request) {
    const again = request.clone();
    const response = await fetch(request);
    if (response.status !== 401) return response;
    const sent = request.headers.get('authorization')?.slice('Bearer '.length) ?? null;
    session.distrust(sent);
    const fresh = await session.token();
    if (!fresh || fresh === sent) return response;
    again.headers.set('authorization', `Bearer ${fresh}`);
    return fetch(again);
  },
});

/** Whether a read is worth another try by itself: not for what is refused. */
export const isPassing = (error: unknown) =>
  isWaybillError(error) && (error.status === 0 || error.status >= 500);
