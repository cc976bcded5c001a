import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Looks up the addresses of a name; rejects or returns an empty list if there are none. */
export type Lookup = (name: string) => Promise<string[]>;

export interface Resolving {
  /** Stands in for DNS in tests. */
  lookup?: Lookup;
  /** A name that takes longer than this counts as unresolved. */
  timeoutMs?: number;
}

/**
 * Returns the addresses of a URL's host as `URL` spells it (IPv6 in brackets), or `unresolved`. Never rejects and never
 * exceeds its deadline (`decisions.md 6.1`).
 */
export async function resolveHost(host: string, resolving: Resolving = {}): Promise<string[] | 'unresolved'> {
  const name = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(name)) return [name];
  if (/(^|\.)localhost\.?$/i.test(name)) return ['127.0.0.1', '::1']; // RFC 6761, 6.3: never looked up in DNS
  const { lookup, timeoutMs = 2000 } = resolving;
  const found: string[] = [];
  const looking = lookup ? gather(found, lookup(name)) : ask(name, found, Date.now() + timeoutMs);
  await settledWithin(timeoutMs, looking);
  return found.length > 0 ? [...new Set(found)] : 'unresolved';
}

/** Collects addresses as they arrive, so that at the deadline one family can be used while the other still hangs. */
async function gather(found: string[], answer: Promise<string[]>): Promise<unknown> {
  try {
    found.push(...(await answer));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

async function settledWithin(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work.catch(() => undefined), deadline]);
  clearTimeout(timer);
}

let dns: Resolver | undefined;
const absent = new Set<unknown>(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * Queries DNS through c-ares, over sockets of its own. `getaddrinfo` would run in libuv's pool of four threads, which
 * password hashing and the file system share: four names with a dead name server would block them all.
 */
async function ask(name: string, found: string[], deadline: number): Promise<void> {
  dns ??= new Resolver({ timeout: 1000, tries: 2 });
  const problems = await Promise.all([gather(found, dns.resolve4(name)), gather(found, dns.resolve6(name))]);
  const unknownToDns = found.length === 0 && problems.every((problem) => absent.has(problem));
  if (unknownToDns) await askSystem(name, found, deadline);
}

let systemTurn: Promise<unknown> = Promise.resolve();

/**
 * Asks the operating system, which also knows `/etc/hosts` and search domains. Looks up one name at a time, so that a
 * name server that answers c-ares and then hangs blocks at most one of libuv's threads.
 */
async function askSystem(name: string, found: string[], deadline: number): Promise<void> {
  const turn = systemTurn.then(async () => {
    if (Date.now() >= deadline) return;
    const entries = await systemLookup(name, { all: true });
    found.push(...entries.map((entry) => entry.address));
  });
  systemTurn = turn.catch(() => undefined);
  await turn;
}
