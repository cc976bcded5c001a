import { runSql, startSystem } from '@waybill/testing';
import { identity } from '../src/index.ts';
import { compareTimes } from './compare.ts';

/**
 * Measures whether the time of `POST /api/auth/forgot` reveals registered addresses (`decisions.md 15.3`): 2,000
 * registered and 2,000 unregistered addresses alternate, while the mails of earlier requests go out.
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

async function measureTime(kind: string, n: number): Promise<number> {
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

for (let n = 0; n < 300; n++) await measureTime('warm', n);
await compareTimes(measureTime, tries);
await system.stop();
