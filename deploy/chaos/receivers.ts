import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from './random.ts';

const longestAnswerMs = 150;

export type Manner = 'good' | 'fails' | 'hangs' | 'resets';

/** taken: 200. refused: 500. reset: the connection was reset. none: no answer, so the caller has to give up. */
export type Answer = 'taken' | 'refused' | 'reset' | 'none';

export interface Call {
  body: string;
  bodyHash: string;
  eventId: string;
  type: string;
  attempt: number;
  isSigned: boolean;
  answer: Answer;
}

/** One endpoint of the run: calls to it must be signed with its secret. */
export interface Endpoint {
  calls: Call[];
  manner: Manner;
  secret: string;
}

export interface Receivers {
  /** The targets in the form of `WEBHOOK_TRUSTED_TARGETS`. */
  trusted: string;
  url(name: string): string;
  /** Adds an endpoint before its webhook is created: the secret comes with that answer. */
  add(name: string, manner: Manner): Endpoint;
  close(): void;
}

/** Starts the receivers of the run; each is a path, good or bad in its own manner. */
export async function startReceivers(seed: number): Promise<Receivers> {
  const random = randomFrom(seed + 1);
  const endpoints = new Map<string, Endpoint>();
  const server = createServer(async (req, res) => {
    const bytes = await buffer(req).catch(() => null);
    const endpoint = endpoints.get(req.url!.slice(1));
    if (!bytes || !endpoint) return void res.writeHead(404).end();
    const body = bytes.toString();
    const one = (name: string) => String(req.headers[name]);
    const seconds = Math.floor(Date.parse(one('x-wb-timestamp')) / 1000);
    const expected = createHmac('sha256', endpoint.secret).update(`${seconds}.${body}`).digest('hex');
    // Leaves time for the caller to be killed in the middle of a call.
    await sleep(random() * longestAnswerMs);
    const answer = answerIn(endpoint.manner, random(), res);
    endpoint.calls.push({
      body,
      bodyHash: createHash('sha256').update(bytes).digest('hex'),
      eventId: one('x-wb-event-id'),
      type: one('x-wb-event-type'),
      attempt: Number(one('x-wb-attempt')),
      isSigned: one('x-wb-signature') === `sha256=${expected}`,
      answer,
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    trusted: `127.0.0.1/32:${port}`,
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    add(name, manner) {
      const endpoint: Endpoint = { calls: [], manner, secret: '' };
      endpoints.set(name, endpoint);
      return endpoint;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answerIn(manner: Manner, luck: number, res: ServerResponse): Answer {
  if (manner === 'fails' && luck < 0.3) {
    res.writeHead(500).end();
    return 'refused';
  }
  if (manner === 'resets' && luck < 0.2) {
    res.socket?.resetAndDestroy();
    return 'reset';
  }
  if (manner === 'hangs' && luck < 0.02) return 'none';
  res.end();
  return 'taken';
}
