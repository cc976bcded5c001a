import { startSystem } from '@waybill/testing';
import { identity } from '../src/index.ts';

/**
 * Measures how long a correct login takes while 50 connections send wrong ones, from one network and from 50
 * (`decisions.md 8.1`). Each connection uses its own addresses, so that no account's limit stops it. After a network's
 * 100 failures the service refuses its logins without hashing; with `fresh` the connection then continues from another
 * network.
 */
const [connections, probes] = [50, 15];
const password = 'correct horse battery';

async function post(
  url: string,
  path: string,
  body: object,
  address: string,
): Promise<{ status: number; ms: number }> {
  const begun = performance.now();
  const reply = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-waybill-address': address },
    body: JSON.stringify(body),
  });
  await reply.text();
  return { status: reply.status, ms: performance.now() - begun };
}

for (const kind of ['one network', '50 networks', '50 networks, fresh'] as const) {
  const system = await startSystem([identity], {
    RATE_LIMIT_PER_MINUTE: '100000000',
    RATE_LIMIT_BURST: '1000000',
  });
  const url = system.internalUrl;
  await post(url, '/api/auth/register', { email: 'ann@example.com', password, name: 'Ann' }, '192.0.2.1');
  let isOver = false;
  const ended = new Map<number, number>();
  const flood = Array.from({ length: connections }, async (_, connection) => {
    for (let i = 0; !isOver; i++) {
      const turn = kind.endsWith('fresh') ? Math.floor(i / 90) : 0;
      const address = kind === 'one network' ? '203.0.113.1' : `203.${turn}.113.${connection}`;
      const wrong = { email: `nobody-${connection}-${i}@example.com`, password: 'wrong horse battery' };
      const { status } = await post(url, '/api/auth/login', wrong, address);
      ended.set(status, (ended.get(status) ?? 0) + 1);
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const times: number[] = [];
  for (let i = 0; i < probes; i++) {
    const { status, ms } = await post(
      url,
      '/api/auth/login',
      { email: 'ann@example.com', password },
      '192.0.2.1',
    );
    if (status !== 200) throw new Error(`the right login was answered ${status}`);
    times.push(ms);
  }
  isOver = true;
  await Promise.all(flood);
  await system.stop();
  times.sort((a, b) => a - b);
  const [median, worst] = [times[Math.floor(probes / 2)]!, times.at(-1)!].map((ms) => (ms / 1000).toFixed(2));
  process.stdout.write(
    `${kind}: median ${median} s, worst ${worst} s; the flood was answered ${JSON.stringify([...ended])}\n`,
  );
}
