import net from 'node:net';

/** The part of an answer that a load needs. */
export interface Heard {
  status: number;
  /** In seconds; 0 if the answer has none. */
  retryAfter: number;
}

interface Asking {
  request: string;
  resolve(heard: Heard): void;
  reject(error: unknown): void;
}

const headEnd = Buffer.from('\r\n\r\n');

/**
 * Sends GET requests over several connections, one after the other on each, at a cost of some 20 µs of this process
 * each: the measured system shares the machine with it, and undici's pool searches thousands of connections for a free
 * one. It relies on Waybill's answers having a length and coming in order.
 */
export function openSockets(url: string, connections: number) {
  const { hostname, port, host } = new URL(url);
  const idle: ((asking: Asking) => void)[] = [];
  const waiting: Asking[] = [];
  const open = new Set<net.Socket>();

  function connect(first: Asking): void {
    const socket = net.connect({ host: hostname, port: Number(port), noDelay: true });
    open.add(socket);
    let current: Asking | null = null;
    let received: Buffer = Buffer.alloc(0);
    const ask = (asking: Asking) => {
      current = asking;
      socket.write(asking.request, 'latin1');
    };
    const end = (error: Error) => {
      if (!open.delete(socket)) return;
      socket.destroy();
      current?.reject(error);
      const at = idle.indexOf(ask);
      if (at >= 0) idle.splice(at, 1);
      const next = waiting.shift();
      if (next) connect(next);
    };
    socket.on('data', (chunk: Buffer) => {
      received = received.length > 0 ? Buffer.concat([received, chunk]) : chunk;
      const bodyAt = received.indexOf(headEnd) + headEnd.length;
      if (bodyAt < headEnd.length) return;
      const head = received.toString('latin1', 0, bodyAt);
      const readNumber = (header: RegExp) => Number(header.exec(head)?.[1] ?? 0);
      if (received.length < bodyAt + readNumber(/\r\ncontent-length: (\d+)/i)) return;
      received = Buffer.alloc(0);
      const { resolve } = current!;
      current = null;
      const closes = /\r\nconnection: close/i.test(head);
      if (closes) end(new Error('closed'));
      else {
        const next = waiting.shift();
        if (next) ask(next);
        else idle.push(ask);
      }
      resolve({ status: Number(head.slice(9, 12)), retryAfter: readNumber(/\r\nretry-after: (\d+)/i) });
    });
    socket.on('error', end);
    socket.on('close', () => end(new Error('closed')));
    ask(first);
  }

  return {
    get: (path: string, headers: Readonly<Record<string, string>>) =>
      new Promise<Heard>((resolve, reject) => {
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        const request = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}\r\n`;
        const asking = { request, resolve, reject };
        const free = idle.pop();
        if (free) free(asking);
        else if (open.size < connections) connect(asking);
        else waiting.push(asking);
      }),
    close() {
      for (const socket of open) socket.destroy();
    },
  };
}
