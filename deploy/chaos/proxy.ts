import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a server: keeps the address when another server takes over, and can cut its connections. */
export interface TcpProxy {
  port: number;
  /** The port to which new connections go. */
  target: number;
  cut(): void;
  close(): void;
}

export async function startProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port: proxy.target, noDelay: true });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    target,
    cut,
    close() {
      server.close();
      cut();
    },
  };
  return proxy;
}
