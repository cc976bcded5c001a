import { randomBytes } from 'node:crypto';
import { newId, storeLimits } from '@waybill/contracts';
import { violatedConstraint } from '@waybill/kernel';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { countProvenHostnames, upsertProvenHostname } from '../former-addresses/queries.ts';
import { findStoreForUpdate } from '../stores/queries.ts';
import { readHostname } from './hostnames.ts';
import {
  claimDomains,
  countDomains,
  type DomainRow,
  deleteDomain,
  findStoreAt,
  insertDomain,
  updateCheckedDomain,
} from './queries.ts';
import type { RecordStatus } from './records.ts';

/**
 * Adds a hostname for the store, which is pending until its DNS record exists. Throws `invalid_body`, `duplicate_name`
 * if the store already has the hostname or another store uses it, `too_many_domains`. `decisions.md 17.7`.
 */
export async function addDomain(
  { trx, audit, afterCommit }: Write,
  { config, wakeTask }: Context,
  storeId: string,
  input: { hostname: string },
): Promise<DomainRow> {
  const read = readHostname(input.hostname, config);
  if ('problem' in read)
    throw errors.invalid_body({ details: [{ pointer: '/hostname', message: read.problem }] });
  // The lock makes concurrent requests wait for each other, so that the count is exact.
  const store = await findStoreForUpdate(trx, storeId);
  if (!store || store.closed_at) throw errors.not_found();
  const { hostname } = read;
  if (await findStoreAt(trx, hostname)) throw errors.duplicate_name();
  if ((await countDomains(trx, storeId)) >= storeLimits.domains) throw errors.too_many_domains();
  if ((await countProvenHostnames(trx, storeId)) >= storeLimits.domains) throw errors.too_many_domains();
  const token = randomBytes(20).toString('hex');
  const domain = await insertDomain(trx, storeId, { id: newId('domain'), hostname, token });
  if (!domain) throw errors.duplicate_name();
  await audit(storeId, 'domain.added', { id: domain.id, name: hostname });
  afterCommit(() => wakeTask('check-domains'));
  return domain;
}

/** Removes a domain at once, apart from the seconds for which a gateway caches it. Throws `not_found`. */
export async function removeDomain({ trx, audit }: Write, storeId: string, id: string): Promise<void> {
  const deleted = await deleteDomain(trx, storeId, id);
  if (!deleted) throw errors.not_found();
  await audit(storeId, 'domain.removed', { id, name: deleted.hostname });
}

/**
 * Number of domains that are checked at once. A silent DNS server delays each of its domains by some seconds; at this
 * size, the checks still run often enough.
 */
const atOnce = 200;
/** Longer than a DNS query takes to time out. */
const leaseSeconds = 30;
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
/**
 * Number of checks without the record before a domain is deactivated. One bad edit of a zone does not take a shop
 * offline, but a sold name ends within hours.
 */
const maxMisses = 3;

/** Checks a batch of due domains. Returns whether there may be more. */
export async function checkDomains(context: Context): Promise<boolean> {
  const claimed = await claimDomains(context.db, atOnce, leaseSeconds);
  await Promise.all(
    claimed.map(async (domain) => applyFinding(context, domain, await context.state.records.find(domain))),
  );
  return claimed.length === atOnce;
}

async function applyFinding(
  { write, transaction }: Context,
  domain: DomainRow,
  finding: RecordStatus,
): Promise<void> {
  const next = scheduleNextCheck(domain, finding, Date.now());
  try {
    await write(async ({ trx, audit }) => {
      const updated = await updateCheckedDomain(trx, domain, next);
      if (!updated || updated.state === domain.state) return;
      if (updated.state === 'active') await upsertProvenHostname(trx, domain.store_id, domain.hostname);
      const action = updated.state === 'active' ? 'domain.activated' : 'domain.deactivated';
      await audit(domain.store_id, action, { id: domain.id, name: domain.hostname });
    });
  } catch (error) {
    if (violatedConstraint(error) !== 'domain_active') throw error;
    // Another store has the same record and was first. This store gets the name if the other one loses it.
    await transaction((trx) => updateCheckedDomain(trx, domain, { ...domain, dueInSeconds: hour }));
  }
}

/** Returns a domain's state after a check, and the delay until the next check: `decisions.md 17.7`. */
export function scheduleNextCheck(
  { state, misses, created_at }: Pick<DomainRow, 'state' | 'misses' | 'created_at'>,
  finding: RecordStatus,
  now: number,
): Pick<DomainRow, 'state' | 'misses'> & { dueInSeconds: number } {
  if (finding === 'there') return { state: 'active', misses: 0, dueInSeconds: day };
  if (state === 'active') {
    const missed = finding === 'missing' ? misses + 1 : misses;
    if (missed >= maxMisses) return { state: 'pending', misses: missed, dueInSeconds: minute };
    return { state, misses: missed, dueInSeconds: hour };
  }
  const days = (now - created_at.getTime()) / (day * 1000);
  // Somebody is waiting for a new domain, so the check sees its record within a minute, and sooner in the first hour.
  const dueInSeconds = days < 1 / 24 ? 20 : days < 1 ? 45 : days < 14 ? 10 * minute : day;
  return { state, misses, dueInSeconds };
}
