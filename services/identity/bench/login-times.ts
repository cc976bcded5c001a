import { hash } from '@node-rs/argon2';
import { runSql, startSystem } from '@waybill/testing';
import { identity } from '../src/index.ts';
import { compareTimes } from './compare.ts';

/**
 * Measures whether the time of a wrong login reveals registered addresses (`decisions.md 8.1`), by alternating
 * registered and unregistered addresses. `node services/identity/bench/login-times.ts [tries]`
 */
const tries = Number(process.argv[2] ?? 2_000);
const system = await startSystem([identity]);
// The service's parameters, which it also uses for unknown addresses.
const phc = await hash('correct horse battery', { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
await runSql(
  system,
  'identity',
  `insert into user_account (id, email, name, password_hash)
   select 'usr_' || n, 'known-' || lpad(n::text, 5, '0') || '@example.com', 'Ann', '${phc}' from generate_series(1, ${tries}) n`,
);

let requests = 0;
async function measureTime(kind: string, n: number): Promise<number> {
  const email = `${kind}-${String(n).padStart(5, '0')}@example.com`;
  // Each request comes from another network, so that none is limited.
  const address = `10.${(++requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`;
  const begun = performance.now();
  const reply = await fetch(`${system.internalUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-waybill-address': address },
    body: JSON.stringify({ email, password: 'a wrong password' }),
  });
  const { code } = (await reply.json()) as { code: string };
  if (code !== 'invalid_login') throw new Error(`${code} for ${email}`);
  return performance.now() - begun;
}

for (let n = 0; n < 50; n++) await measureTime('warm', n);
await compareTimes(measureTime, tries);
await system.stop();
