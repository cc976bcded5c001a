import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';

/** A proxy between a client and a server, with which a test can cut the network. */
export interface CutProxy {
  /** The given URL, through the proxy. */
  url: string;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  /** Breaks every connection, once, when a client sends these bytes, which do not arrive. */
  cutAt(bytes: Buffer): void;
  /** Resolves when a client has sent these bytes. */
  passed(bytes: Buffer): Promise<void>;
  /** Keeps every connection open and lets nothing through, as a stopped host does. */
  freeze(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function startCutProxy(target: string): Promise<CutProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<[Socket, Socket]>();
  let isCut = false;
  let isFrozen = false;
  let cutAt: Buffer | null = null;
  const watched = new Set<{ bytes: Buffer; resolve(): void }>();
  const server = net.createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = net.connect(Number(port), hostname);
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client]] as const) {
      from.setNoDelay();
      from.on('error', () => {});
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
      from.on('data', (chunk) => {
        if (from === client && cutAt && chunk.includes(cutAt)) {
          cutAt = null;
          destroyAll();
        } else {
          to.write(chunk);
          for (const watch of watched) if (from === client && chunk.includes(watch.bytes)) watch.resolve();
        }
      });
      if (isFrozen) from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const destroyAll = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };

  return {
    url: url.href,
    cut() {
      isCut = true;
      destroyAll();
    },
    cutAt(bytes) {
      cutAt = bytes;
    },
    passed(bytes) {
      const { promise, resolve } = Promise.withResolvers<void>();
      watched.add({ bytes, resolve });
      return promise;
    },
    freeze() {
      isFrozen = true;
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    restore() {
      [isCut, isFrozen] = [false, false];
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    async close() {
      destroyAll();
      server.close();
      await once(server, 'close');
    },
  };
}
