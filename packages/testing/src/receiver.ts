import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedCall {
  /** Begins with `/` and lacks the receiver's own prefix. */
  path: string;
  headers: http.IncomingHttpHeaders;
  body: string;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface Receiver {
  /** Has a prefix that no other receiver has, and no slash at the end. */
  url: string;
  port: number;
  /** The target in the form of `WEBHOOK_TRUSTED_TARGETS`. */
  trusted: string;
  calls: ReceivedCall[];
  /** Sets how the next calls are answered; at first with 200. */
  answer(status: number | ((call: ReceivedCall, res: http.ServerResponse) => void)): void;
  close(): Promise<void>;
}

/**
 * Listens on a port that the run's shared systems trust; if all of those are in use, any other works for a system of
 * one's own.
 */
async function listenOnTrustedPort(server: http.Server): Promise<number> {
  const trusted = (process.env.WAYBILL_TEST_RECEIVERS ?? '').split(',').filter(Boolean);
  for (const port of [...trusted.map((target) => Number(target.split(':')[1])), 0]) {
    server.listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isFree) return (server.address() as AddressInfo).port;
  }
  throw new Error('no port is free');
}

/**
 * Starts a webhook receiver on loopback that records its calls. It answers calls to earlier receivers of its port, whose
 * webhooks live on in a shared system, and does not record them.
 */
export async function startReceiver(): Promise<Receiver> {
  const prefix = `/${randomBytes(6).toString('hex')}`;
  const calls: ReceivedCall[] = [];
  let reply: (call: ReceivedCall, res: http.ServerResponse) => void = (_, res) => void res.end();
  const server = http.createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => {
      if (!req.url!.startsWith(prefix)) return res.end();
      const call = {
        path: req.url!.slice(prefix.length) || '/',
        headers: req.headers,
        body: Buffer.concat(chunks).toString(),
        at: Date.now(),
      };
      calls.push(call);
      reply(call, res);
    });
  });
  const port = await listenOnTrustedPort(server);
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    port,
    trusted: `127.0.0.1/32:${port}`,
    calls,
    answer(status) {
      reply = typeof status === 'number' ? (_, res) => void res.writeHead(status).end() : status;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
