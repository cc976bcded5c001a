import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { decode, encode } from 'dns-packet';

export interface DnsServer {
  /** As `DNS_SERVERS` wants it. */
  address: string;
  /** What it says of TXT records by name: their texts; `silent`: nothing at all. A name that is not there is none. */
  records: Map<string, readonly string[] | 'silent'>;
  close(): Promise<void>;
}

/** A name server of its own on loopback. */
export async function startDnsServer(): Promise<DnsServer> {
  const records: DnsServer['records'] = new Map();
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { id, questions = [] } = decode(message);
    const [question] = questions;
    const found = question && records.get(question.name.toLowerCase());
    if (found === 'silent') return;
    const answer = encode({
      type: 'response',
      ...(id !== undefined && { id }),
      // 3: there is no such name (RFC 1035, 4.1.1).
      flags: found ? 0 : 3,
      questions,
      answers: (found ?? []).map((text) => ({
        type: 'TXT' as const,
        name: question!.name,
        ttl: 0,
        data: text,
      })),
    });
    socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    records,
    close: () => new Promise((resolve) => void socket.close(() => resolve())),
  };
}

/** Has this process wait for every name until its deadline; `isAsked` resolves with the first that it asks for. */
export function silenceNameServers() {
  const { resolve4, resolve6 } = Resolver.prototype;
  const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
  const nothing = () => {
    ask();
    return new Promise<never>(() => {});
  };
  Object.assign(Resolver.prototype, { resolve4: nothing, resolve6: nothing });
  return { isAsked, end: () => void Object.assign(Resolver.prototype, { resolve4, resolve6 }) };
}
