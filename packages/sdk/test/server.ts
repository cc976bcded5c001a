import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A server that answers as the test tells it and records the requests. */
export async function startServer() {
  const seen: ReceivedRequest[] = [];
  let answer: RequestListener = (_, res) => void res.writeHead(404).end();
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req.setEncoding('latin1')) body += chunk;
    seen.push({ method: req.method!, url: req.url!, headers: req.headers, body });
    answer(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    /** Sets the answers: one after the other, the last one for good. */
    answer(...answers: RequestListener[]) {
      seen.length = 0;
      answer = (req, res) => (answers.length > 1 ? answers.shift()! : answers[0]!)(req, res);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export const json =
  (status: number, body: unknown, headers = {}): RequestListener =>
  (_, res) =>
    void res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Closes the connection without an answer. */
export const dropped: RequestListener = (req) => void req.socket.destroy();
