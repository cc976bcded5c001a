import { createClient, isWaybillError, type Model } from '@waybill/sdk';

/**
 * The session. The access token is held only in this tab's memory; the refresh token is a cookie that scripts cannot
 * read (`SameSite=Strict`, `HttpOnly`). Tabs share each refresh: the tab that holds the lock sends it and passes the
 * result to the others.
 */
type State = { is: 'unknown' } | { is: 'signedOut' } | { is: 'signedIn'; user: Model<'User'> };

type Fresh = { accessToken: string; expiresAt: string; user: Model<'User'> };

/**
 * Storage key that says a refresh cookie may exist. Without it, a stranger's first visit sends no refresh that would be
 * refused.
 */
const hint = 'waybill.session';
const lock = 'waybill.session';
/** A token that expires within this time is refreshed first. */
const marginMs = 10_000;

const channel = new BroadcastChannel('waybill.session');
const watchers = new Set<() => void>();
let state: State = { is: 'unknown' };
/** Id of the user whose data this tab has loaded since it was opened. */
let owner: string | null = null;
let token: { value: string; endsAt: number } | null = null;

/** A client without a credential, for the requests that obtain one. */
const anonymous = createClient({ baseUrl: location.origin });

export const session = {
  read: (): State => state,
  watch(watcher: () => void): () => void {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  },
  /** Whether somebody was signed in here before. Only the server knows if the session is still valid. */
  mayBeOn: (): boolean => localStorage.getItem(hint) !== null,
  /** Returns an access token that stays valid for a moment, or null if nobody is signed in. */
  async token(): Promise<string | null> {
    if (isGood()) return token!.value;
    if (state.is === 'signedOut') return null;
    await refresh();
    return token?.value ?? null;
  },
  /** Drops a token that the server rejected. The next request obtains a new one or ends the session. */
  distrust(value: string | null): void {
    if (token?.value === value) token = null;
  },
  /**
   * Checks once, at the start, whether somebody is signed in. Throws if the server is unreachable: the session may
   * still be valid, so the user need not sign in again.
   */
  async begin(): Promise<void> {
    if (state.is !== 'unknown') return;
    if (session.mayBeOn()) await refresh();
    else change({ is: 'signedOut' });
  },
  /**
   * @throws invalid_login, totp_required, invalid_code, rate_limited
   */
  async signIn(credentials: { email: string; password: string; code?: string }): Promise<void> {
    const body = { ...credentials, session: 'cookie' as const };
    const fresh = await anonymous.post('/api/auth/login', { body });
    accept(fresh);
    channel.postMessage({ signedIn: fresh.user.id });
  },
  /** Throws if the server is unreachable. The cookie is still valid then, and the user must know. */
  async signOut(): Promise<void> {
    await anonymous.post('/api/auth/logout');
    forget();
    channel.postMessage('signedOut');
  },
  /** Updates the user after they have changed their profile. */
  rename(user: Model<'User'>): void {
    if (state.is === 'signedIn') change({ is: 'signedIn', user });
  },
};

const isGood = () => token !== null && token.endsAt - Date.now() > marginMs;

let running: Promise<void> | null = null;

function refresh(): Promise<void> {
  running ??= navigator.locks
    .request(lock, async () => {
      // Another tab may have passed on a new token while this one waited for the lock.
      if (isGood()) return;
      try {
        const { accessToken, expiresAt, user } = await anonymous.post('/api/auth/refresh');
        const fresh = { accessToken, expiresAt, user };
        accept(fresh);
        channel.postMessage(fresh);
      } catch (error) {
        if (!isWaybillError(error) || error.status !== 401) throw error;
        forget();
      }
    })
    .finally(() => {
      running = null;
    });
  return running;
}

function accept({ accessToken, expiresAt, user }: Fresh): void {
  localStorage.setItem(hint, '1');
  if (owner !== null && owner !== user.id) {
    // Another user has signed in, so this tab must not show the previous user's data.
    location.reload();
    return;
  }
  owner = user.id;
  token = { value: accessToken, endsAt: Date.parse(expiresAt) };
  change({ is: 'signedIn', user });
}

function forget(): void {
  token = null;
  localStorage.removeItem(hint);
  change({ is: 'signedOut' });
}

function change(next: State): void {
  state = next;
  for (const watcher of watchers) watcher();
}

channel.onmessage = ({ data }: MessageEvent<Fresh | { signedIn: string } | 'signedOut'>) => {
  if (data === 'signedOut') forget();
  else if (!('signedIn' in data)) accept(data);
  else if (state.is === 'signedOut') void refresh().catch(() => {});
  else if (state.is === 'signedIn' && owner !== data.signedIn) location.reload();
};
