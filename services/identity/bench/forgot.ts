import { runSql, startSystem } from '@waybill/testing';
import { identity } from '../src/index.ts';

/**
 * Whether the time of `POST /api/auth/forgot` tells who has an account (`decisions.md 15.3`): 2,000 addresses that
 * somebody has and 2,000 that nobody has, in turn, while the mails of those before go out. A |t| below 2 is noise.
 */
const tries = 2_000;
const system = await startSystem([identity], {
  RATE_LIMIT_PER_MINUTE: '100000000',
  RATE_LIMIT_BURST: '1000000',
});
await runSql(
  system,
  'identity',
  `insert into user_account (id, email, name, password_hash)
   select 'usr_' || n, 'known-' || lpad(n::text, 5, '0') || '@example.com', 'Ann', '' from generate_series(1, ${tries}) n`,
);

async function timeOf(kind: string, n: number): Promise<number> {
  const email = `${kind}-${String(n).padStart(5, '0')}@example.com`;
  const begun = performance.now();
  const reply = await fetch(`${system.internalUrl}/api/auth/forgot`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  });
  await reply.text();
  if (reply.status !== 202) throw new Error(`${reply.status} for ${email}`);
  return performance.now() - begun;
}

for (let n = 0; n < 300; n++) await timeOf('warm', n);
const known: number[] = [];
const other: number[] = [];
for (let n = 1; n <= tries; n++) {
  // Which comes first changes, so that neither always follows the other's mail.
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
