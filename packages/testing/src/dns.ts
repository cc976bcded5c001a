import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { decode, encode } from 'dns-packet';

export interface DnsServer {
  /** The address in the form of `DNS_SERVERS`. */
  address: string;
  /** The TXT records by name: their texts, or `silent` for no answer at all. A missing name does not exist. */
  records: Map<string, readonly string[] | 'silent'>;
  close(): Promise<void>;
}

/** Starts a separate name server on loopback. */
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
      // 3: the name does not exist (RFC 1035, 4.1.1).
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

/** Makes every name lookup of this process hang until its deadline; `queried` resolves at the first lookup. */
export function silenceNameServers() {
  const { resolve4, resolve6 } = Resolver.prototype;
  const { promise: queried, resolve: onQuery } = Promise.withResolvers<void>();
  const nothing = () => {
    onQuery();
    return new Promise<never>(() => {});
  };
  Object.assign(Resolver.prototype, { resolve4: nothing, resolve6: nothing });
  return { queried, end: () => void Object.assign(Resolver.prototype, { resolve4, resolve6 }) };
}
