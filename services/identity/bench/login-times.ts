import { hash } from '@node-rs/argon2';
import { runSql, startSystem } from '@waybill/testing';
import { identity } from '../src/index.ts';

/**
 * Whether the time of a wrong login tells who has an account (`decisions.md 8.1`): addresses that somebody has and ones
 * that nobody has, in turn. A |t| below 2 is noise. `node services/identity/bench/login-times.ts [tries]`
 */
const tries = Number(process.argv[2] ?? 2_000);
const system = await startSystem([identity]);
// The same parameters as for nobody: those of the service.
const phc = await hash('correct horse battery', { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
await runSql(
  system,
  'identity',
  `insert into user_account (id, email, name, password_hash)
   select 'usr_' || n, 'known-' || lpad(n::text, 5, '0') || '@example.com', 'Ann', '${phc}' from generate_series(1, ${tries}) n`,
);

let asked = 0;
async function timeOf(kind: string, n: number): Promise<number> {
  const email = `${kind}-${String(n).padStart(5, '0')}@example.com`;
  // From another network each time: none is limited.
  const address = `10.${(++asked >> 16) & 255}.${(asked >> 8) & 255}.${asked & 255}`;
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

for (let n = 0; n < 50; n++) await timeOf('warm', n);
const known: number[] = [];
const other: number[] = [];
for (let n = 1; n <= tries; n++) {
  // Which comes first changes, so that neither always follows the other.
  if (n % 2) known.push(await timeOf('known', n));
  other.push(await timeOf('other', n));
  if (!(n % 2)) known.push(await timeOf('known', n));
}
const mean = (times: number[]) => times.reduce((sum, time) => sum + time, 0) / times.length;
const variance = (times: number[]) => mean(times.map((time) => (time - mean(times)) ** 2));
const quantile = (times: number[], q: number) =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * q)]!;
const t = (mean(known) - mean(other)) / Math.sqrt((variance(known) + variance(other)) / tries);
for (const [name, times] of Object.entries({ known, other })) {
  const parts = [mean(times), ...[0.5, 0.95, 0.99].map((q) => quantile(times, q))].map((ms) => ms.toFixed(2));
  process.stdout.write(`${name}: mean ${parts[0]} ms, p50 ${parts[1]}, p95 ${parts[2]}, p99 ${parts[3]}\n`);
}
process.stdout.write(`Welch's t of the means: ${t.toFixed(2)}\n`);
await system.stop();
