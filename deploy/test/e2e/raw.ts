import { once } from 'node:events';
import { connect } from 'node:net';

/** The reply on a connection: the first answer, parsed as HTTP, and all raw bytes. */
export interface RawReply {
  /** Null if the connection closed without an answer. */
  status: number | null;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the content of its answers
  body: any;
  bytes: string;
  /** The statuses of all answers on the connection. */
  statuses: number[];
}

export type Step = string | Buffer | ((write: (data: string | Buffer) => boolean) => Promise<void>);

/**
 * Writes raw bytes to a new connection, and reads until the other side closes it, sends nothing more for `pauseMs`, or
 * nothing at all for `quietMs`.
 */
export async function exchange(
  baseUrl: string,
  data: Step,
  { quietMs = 20_000, pauseMs = 1000 } = {},
): Promise<RawReply> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    socket.setTimeout(Math.min(quietMs, pauseMs));
  });
  socket.on('timeout', () => socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await Promise.race([once(socket, 'connect'), closed]);
  if (typeof data === 'function') {
    await data((part) => socket.writable && socket.write(part));
  } else socket.write(data);
  socket.setTimeout(quietMs);
  await closed;
  return parse(Buffer.concat(chunks).toString());
}

function parse(bytes: string): RawReply {
  const statuses = [...bytes.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  const end = bytes.indexOf('\r\n\r\n');
  const [, ...lines] = bytes.slice(0, Math.max(end, 0)).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const length = Number(headers['content-length'] ?? 0);
  const text = Buffer.from(bytes.slice(end + 4))
    .subarray(0, length)
    .toString();
  const isJson = headers['content-type']?.startsWith('application/json') && text !== '';
  return { status: statuses[0] ?? null, headers, body: isJson ? readJson(text) : undefined, bytes, statuses };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
