import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';
const flood = Buffer.alloc(64 * 1024, 'x');
const tenGigabytes = 10 * 1024 ** 3;

/** Ways in which a receiver can obstruct its callers. */
const nuisances = {
  silent() {},
  'drips-headers': (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', (n) => `X-${n}: y\r\n`),
  'drips-a-status': (socket: Socket) => drip(socket, 'HTTP/1.1 200 ', () => 'O'),
  'drips-informational-replies': (socket: Socket) =>
    drip(socket, '', () => 'HTTP/1.1 102 Processing\r\n\r\n'),
  'drips-a-body': (socket: Socket) => drip(socket, `${head}\r\n`, () => 'x'),
  'drips-chunks': (socket: Socket) =>
    drip(socket, `${head}Transfer-Encoding: chunked\r\n\r\n`, () => '1\r\nx\r\n'),
  'sends-10-gb': (socket: Socket) => pour(socket, `${head}Content-Length: ${tenGigabytes}\r\n\r\n`),
  'sends-headers-without-end': (socket: Socket) => pour(socket, `${head}X-Long: `),
  resets: (socket: Socket) => void socket.resetAndDestroy(),
  'ends-halfway': (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Le'),
  'speaks-no-http': (socket: Socket) => void socket.end('220 mail.example.com ESMTP\r\n'),
} as const;

export type Nuisance = keyof typeof nuisances;
export const allNuisances = Object.keys(nuisances) as Nuisance[];

function drip(socket: Socket, first: string, next: (n: number) => string): void {
  socket.write(first);
  let n = 0;
  const timer = setInterval(() => socket.write(next(++n)), 50);
  socket.once('close', () => clearInterval(timer));
}

function pour(socket: Socket, first: string): void {
  socket.write(first);
  const more = () => {
    while (!socket.destroyed && socket.write(flood));
  };
  socket.on('drain', more);
  more();
}

export interface BadReceiver {
  port: number;
  url(nuisance: Nuisance): string;
  /** Returns the number of calls for a nuisance. */
  calls(nuisance: Nuisance): number;
  /** Returns the number of open connections. */
  open(): number;
  /** Returns the largest number of bytes that a connection took. */
  mostBytesTaken(): number;
  close(): Promise<void>;
}

/** Starts a receiver on loopback that behaves as badly as the path of the call says. */
export async function startBadReceiver(): Promise<BadReceiver> {
  const calls = new Map<string, number>();
  const sockets = new Set<Socket>();
  let most = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (chunk) => {
      const name = String(chunk).split(' ', 2)[1]!.slice(1) as Nuisance;
      calls.set(name, (calls.get(name) ?? 0) + 1);
      nuisances[name](socket);
      socket.resume();
    });
    socket.once('close', () => {
      sockets.delete(socket);
      most = Math.max(most, socket.bytesWritten);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: (nuisance) => `http://127.0.0.1:${port}/${nuisance}`,
    calls: (nuisance) => calls.get(nuisance) ?? 0,
    open: () => sockets.size,
    mostBytesTaken: () => most,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
