import { createClient, isWaybillError, type Model } from '@waybill/sdk';

/**
 * Who is signed in. The access token is in this tab's memory alone; the refresh token is a cookie that no script reads
 * (`SameSite=Strict`, `HttpOnly`). Tabs share one refresh: whoever holds the lock asks, and hands what it gets to the
 * others.
 */
type State = { is: 'unknown' } | { is: 'signedOut' } | { is: 'signedIn'; user: Model<'User'> };

type Fresh = { accessToken: string; expiresAt: string; user: Model<'User'> };

/** Says that there may be a cookie, so that a stranger's first look asks nothing that is refused. */
const hint = 'waybill.session';
const lock = 'waybill.session';
/** A token that ends within this time is not worth a request. */
const marginMs = 10_000;

const channel = new BroadcastChannel('waybill.session');
const watchers = new Set<() => void>();
let state: State = { is: 'unknown' };
/** Whose screens this tab has shown since it was loaded, by the user's id; what it has read of the API is theirs. */
let owner: string | null = null;
let token: { value: string; endsAt: number } | null = null;

/** Makes requests without a credential: signing in is what gets one. */
const anonymous = createClient({ baseUrl: location.origin });

export const session = {
  read: (): State => state,
  watch(watcher: () => void): () => void {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  },
  /** Whether somebody was signed in here, and may be still; the server knows. */
  mayBeOn: (): boolean => localStorage.getItem(hint) !== null,
  /** An access token that is good for a moment yet; null: nobody is signed in. */
  async token(): Promise<string | null> {
    if (isGood()) return token!.value;
    if (state.is === 'signedOut') return null;
    await refresh();
    return token?.value ?? null;
  },
  /** The server no longer takes the token that it was sent: the next request gets another one, or nobody is signed in. */
  distrust(value: string | null): void {
    if (token?.value === value) token = null;
  },
  /**
   * Whether somebody is signed in, asked once at the start. Throws where the server cannot say: who was signed in is so
   * still, and need not sign in again.
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
  /** Throws where the server was not reached: then the cookie is as good as before, and whoever leaves should know. */
  async signOut(): Promise<void> {
    await anonymous.post('/api/auth/logout');
    forget();
    channel.postMessage('signedOut');
  },
  /** What the user says about themselves has changed. */
  rename(user: Model<'User'>): void {
    if (state.is === 'signedIn') change({ is: 'signedIn', user });
  },
};

const isGood = () => token !== null && token.endsAt - Date.now() > marginMs;

let running: Promise<void> | null = null;

function refresh(): Promise<void> {
  running ??= navigator.locks
    .request(lock, async () => {
      // Another tab may have handed over what it got while this one waited for its turn.
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
    // The cookie is somebody else's now: nothing that this tab shows is theirs.
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
