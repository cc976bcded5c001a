import { text as readAll } from 'node:stream/consumers';
import { password, text } from '@clack/prompts';
import { createClient, isWaybillError, type Model } from '@waybill/sdk';
import type { Command } from 'commander';
import { signInByBrowser } from '../browser-login.ts';
import { type Connection, connect, type GlobalOptions, pickTokens, resolveUrl } from '../connection.ts';
import { changeCredentials, credentialsFile, type Profile, readCredentials } from '../credentials.ts';
import { exitCodes, Failure } from '../failure.ts';
import type { Run } from '../run.ts';

interface LoginOptions extends GlobalOptions {
  apiKey?: boolean;
  browser?: boolean;
  email?: string;
  code?: string;
  stdin?: boolean;
}

/** Adds the commands `login`, `whoami` and `logout`. */
export function addLogin(program: Command, run: Run): void {
  program
    .command('login')
    .description('Sign in as yourself, or with a store’s API key')
    .option('--api-key', 'sign in with an API key (wbk_…) instead')
    .option('--browser', 'sign in with your browser; the default in a terminal without --email')
    .option('--email <address>', 'your e-mail address, to sign in with your password instead')
    .option('--code <digits>', 'a code of your authenticator, or a recovery code')
    .option('--stdin', 'read the password, or the key, from standard input')
    .action(
      run(async (options: LoginOptions, output) => {
        const url = resolveUrl(options.url, await readCredentials());
        const profile = await signInAs(url, options, output.note);
        await changeCredentials((credentials) => {
          credentials.url = url;
          const { listenSecret } = credentials.profiles[url] ?? {};
          credentials.profiles[url] = { ...profile, ...(listenSecret && { listenSecret }) };
        });
        const account = profile.email ?? 'an API key';
        output.result({ url, email: profile.email ?? null }, `Signed in at ${url} as ${account}.`);
        output.note(`Kept in ${credentialsFile()}.`);
      }),
    );

  program
    .command('whoami')
    .description('Show who is signed in, and where')
    .action(
      run(async (options: GlobalOptions, output) => {
        const { url, call, isKey } = await connect(options);
        if (isKey) {
          const store = await storeOfKey(call);
          const which = store ? `${store.name} (${store.id})` : 'a store that it may not read';
          return output.result({ url, email: null, store }, `An API key of ${which}, at ${url}.`);
        }
        const { user } = await call<{ user: Model<'User'> }>('GET', '/api/me');
        output.result({ url, email: user.email, userId: user.id }, `${user.email} (${user.id}), at ${url}.`);
      }),
    );

  program
    .command('logout')
    .description('Sign out, and delete the stored credentials')
    .action(
      run(async (options: GlobalOptions, output) => {
        const credentials = await readCredentials();
        const url = resolveUrl(options.url, credentials);
        const refreshToken = credentials.profiles[url]?.refreshToken;
        if (refreshToken)
          await createClient({ baseUrl: url })
            .post('/api/auth/logout', { body: { refreshToken } })
            .catch((error: unknown) => {
              output.note(`${url} was not told: ${(error as Error).message}`);
            });
        await changeCredentials(({ profiles }) => {
          delete profiles[url];
        });
        output.result({ url }, `Signed out at ${url}.`);
      }),
    );
}

/** Returns the store of a key; null if the key may not read it. */
async function storeOfKey(call: Connection['call']): Promise<{ id: string; name: string } | null> {
  try {
    const { store } = await call<{ store: { id: string; name: string } }>('GET', '/api/v1/store');
    return { id: store.id, name: store.name };
  } catch (error) {
    if (isWaybillError(error, 'insufficient_scope')) return null;
    throw error;
  }
}

function signInAs(url: string, options: LoginOptions, note: (line: string) => void): Promise<Profile> {
  if (options.apiKey) return signInWithKey(url, options);
  const isByBrowser = options.browser ?? (!options.email && !options.stdin && process.stdin.isTTY);
  return isByBrowser ? signInWithBrowser(url, note) : signIn(url, options);
}

async function signInWithBrowser(url: string, note: (line: string) => void): Promise<Profile> {
  const session = await signInByBrowser(url, note);
  return { email: session.user.email, ...pickTokens(session) };
}

async function signIn(url: string, options: LoginOptions): Promise<Profile> {
  const email =
    options.email ??
    (await promptFor((message) => text({ message, output: process.stderr }), 'E-mail address'));
  const secret = await readSecret(options, 'Password');
  const client = createClient({ baseUrl: url });
  const attempt = (code?: string): Promise<Model<'SignedIn'>> =>
    client.post('/api/auth/login', {
      body: { email, password: secret, ...(code && { code: code.replaceAll(/\s/g, '') }) },
    });
  const session = await attempt(options.code).catch(async (error) => {
    if (!isWaybillError(error, 'totp_required') || !process.stdin.isTTY) throw error;
    return attempt(
      await promptFor((message) => text({ message, output: process.stderr }), 'Code of your authenticator'),
    );
  });
  return { email, ...pickTokens(session) };
}

async function signInWithKey(url: string, options: LoginOptions): Promise<Profile> {
  const apiKey = await readSecret(options, 'API key (wbk_…)');
  // Any answer but 401 means that the key is valid, even if it may not read the store.
  await createClient({ baseUrl: url, credential: apiKey })
    .get('/api/v1/store')
    .catch((error) => {
      if (!isWaybillError(error, 'insufficient_scope')) throw error;
    });
  return { apiKey };
}

async function readSecret({ stdin }: LoginOptions, label: string): Promise<string> {
  if (stdin) return (await readAll(process.stdin)).trim();
  return promptFor((message) => password({ message, output: process.stderr }), label);
}

/** Prompts the user. Without a terminal it fails and names the alternative. */
async function promptFor(
  prompt: (message: string) => Promise<string | symbol>,
  label: string,
): Promise<string> {
  if (!process.stdin.isTTY)
    throw new Failure(`${label}: there is no terminal to ask at.`, {
      code: 'usage',
      exitCode: exitCodes.usage,
      remedy: 'Give --email and --stdin, or set WAYBILL_API_KEY.',
    });
  const answer = await prompt(label);
  if (typeof answer !== 'string') throw new Failure('Stopped.', { exitCode: exitCodes.interrupted });
  return answer;
}
