import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';

export interface Receiver {
  port: number;
  url: string;
  /** Every connection ever made to the receiver, open or closed. */
  sockets: Socket[];
  stop(): Promise<void>;
}

/** Starts a receiver that speaks HTTP. */
export function startHttpReceiver(listener: RequestListener): Promise<Receiver> {
  return listen(createHttpServer(listener));
}

/** Starts a receiver that handles each connection as it likes. `onRequest` is called for each chunk that arrives. */
export function startRawReceiver(onRequest: (socket: Socket, count: number) => void): Promise<Receiver> {
  let count = 0;
  return listen(
    createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', () => onRequest(socket, ++count));
    }),
  );
}

export async function listen(server: Server): Promise<Receiver> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    sockets,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Resolves once the other side has closed this connection. */
export function waitUntilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}
