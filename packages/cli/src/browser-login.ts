import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, type Model } from '@waybill/sdk';
import open from 'open';
import { exitCodes, Failure } from './failure.ts';

/** Time that a user has to sign in, in milliseconds. */
const maxWaitMs = 10 * 60_000;

/**
 * Signs in through the browser, where the user may be signed in already, so password and second factor are entered only
 * in the console (RFC 8252 with RFC 7636, `decisions.md 15.10`). `say` receives the address to open, in case no browser
 * opens. Throws a `Failure` if the user declines or does nothing for ten minutes.
 */
export async function signInByBrowser(
  url: string,
  showLine: (line: string) => void,
): Promise<Model<'SignedIn'>> {
  const [codeVerifier, state] = [
    randomBytes(32).toString('base64url'),
    randomBytes(16).toString('base64url'),
  ];
  const challenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const loginUrl = `${url}/console/login-code?${new URLSearchParams({ challenge, port: String(port), state })}`;
    showLine(`Sign in with your browser, where the code is ${challenge.slice(0, 8)}:\n${loginUrl}`);
    // Listens first, because the browser may come back before `open` resolves and its request would go unanswered.
    const code = receiveCode(server, state);
    // If no browser opens, the user still has the address.
    const opened = open(loginUrl).then(
      (browser) => browser.on('error', () => {}),
      () => {},
    );
    const [receivedCode] = await Promise.all([code, opened]);
    return await createClient({ baseUrl: url }).post('/api/auth/login-codes', {
      body: { code: receivedCode, codeVerifier },
    });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Returns the code that the browser brings back. Requests without the right `state` are ignored. */
function receiveCode(server: ReturnType<typeof createServer>, state: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(
      () => reject(accessDenied('Nobody approved the sign-in within ten minutes.')),
      maxWaitMs,
    );
    server.on('request', (req, res) => {
      // The request target may not be a valid URL.
      const target = [req.url ?? '/', 'http://127.0.0.1'] as const;
      const params = URL.canParse(...target) ? new URL(...target).searchParams : new URLSearchParams();
      const isOurs = params.get('state') === state;
      const code = params.get('code');
      res.writeHead(isOurs ? 200 : 404, {
        'content-type': 'text/plain; charset=utf-8',
        'referrer-policy': 'no-referrer',
      });
      const message = code
        ? 'You are signed in at the command line. This window can be closed.'
        : 'Declined.';
      res.end(isOurs ? message : 'Not found.', () => {
        if (!isOurs) return;
        clearTimeout(timeout);
        if (code) resolve(code);
        else reject(accessDenied('You declined the sign-in in the browser.'));
      });
    });
  });
}

const accessDenied = (message: string) =>
  new Failure(message, {
    code: 'access_denied',
    exitCode: exitCodes.notSignedIn,
    remedy: 'Run `waybill login` again, or give --email.',
  });
