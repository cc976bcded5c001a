import { randomBytes } from 'node:crypto';
import { newId, storeLimits } from '@waybill/contracts';
import { audit, violatedConstraint } from '@waybill/kernel';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { countProvenHostnames, putProvenHostname } from '../former-addresses/queries.ts';
import { findStoreForUpdate } from '../stores/queries.ts';
import { readHostname } from './hostnames.ts';
import {
  claimDomains,
  countDomains,
  type DomainRow,
  deleteDomain,
  findStoreAt,
  insertDomain,
  settleDomain,
} from './queries.ts';
import type { Finding } from './records.ts';

/**
 * Asks for a hostname to show the store at; it waits for its DNS record. Throws `invalid_body`, `duplicate_name` where
 * the store has it or another shows itself there, `too_many_domains`. `decisions.md 17.7`.
 */
export async function addDomain(
  { trx, audit, afterCommit }: Write,
  { config, wake }: Context,
  storeId: string,
  input: { hostname: string },
): Promise<DomainRow> {
  const read = readHostname(input.hostname, config);
  if ('wrong' in read)
    throw errors.invalid_body({ details: [{ pointer: '/hostname', message: read.wrong }] });
  // One after the other, for the count.
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
  afterCommit(() => wake('check-domains'));
  return domain;
}

/** Ends it at once, but for the seconds that a gateway remembers. Throws `not_found`. */
export async function removeDomain({ trx, audit }: Write, storeId: string, id: string): Promise<void> {
  const gone = await deleteDomain(trx, storeId, id);
  if (!gone) throw errors.not_found();
  await audit(storeId, 'domain.removed', { id, name: gone.hostname });
}

/** Of a server that says nothing all take some seconds: as many as that holds up are looked at in a minute all the same. */
const atOnce = 200;
/** Longer than DNS may take to say nothing. */
const leaseSeconds = 30;
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
/** A shop does not go for one bad edit of a zone, but a name that was sold ends within hours. */
const mostMisses = 3;

/** Looks at some domains that are due; whether there may be more. */
export async function checkDomains(context: Context): Promise<boolean> {
  const claimed = await claimDomains(context.db, atOnce, leaseSeconds);
  await Promise.all(
    claimed.map(async (domain) => settle(context, domain, await context.state.records.find(domain))),
  );
  return claimed.length === atOnce;
}

async function settle({ transaction }: Context, domain: DomainRow, finding: Finding): Promise<void> {
  const next = nextOf(domain, finding, Date.now());
  try {
    await transaction(async (trx) => {
      const settled = await settleDomain(trx, domain, next);
      if (!settled || settled.state === domain.state) return;
      if (settled.state === 'active') await putProvenHostname(trx, domain.store_id, domain.hostname);
      const act = settled.state === 'active' ? 'domain.activated' : 'domain.deactivated';
      await audit(trx, domain.store_id, act, { id: domain.id, name: domain.hostname });
    });
  } catch (error) {
    if (violatedConstraint(error) !== 'domain_active') throw error;
    // Both have the record, and the other one was first: it may go.
    await transaction((trx) => settleDomain(trx, domain, { ...domain, dueInSeconds: hour }));
  }
}

/** Where a domain stands after a look, and when the next one is: `decisions.md 17.7`. */
export function nextOf(
  { state, misses, created_at }: Pick<DomainRow, 'state' | 'misses' | 'created_at'>,
  finding: Finding,
  now: number,
): Pick<DomainRow, 'state' | 'misses'> & { dueInSeconds: number } {
  if (finding === 'there') return { state: 'active', misses: 0, dueInSeconds: day };
  if (state === 'active') {
    const missed = finding === 'missing' ? misses + 1 : misses;
    if (missed >= mostMisses) return { state: 'pending', misses: missed, dueInSeconds: minute };
    return { state, misses: missed, dueInSeconds: hour };
  }
  const days = (now - created_at.getTime()) / (day * 1000);
  // Somebody is waiting for it, at first: within a minute of the record it is seen, sooner in the first hour.
  const dueInSeconds = days < 1 / 24 ? 20 : days < 1 ? 45 : days < 14 ? 10 * minute : day;
  return { state, misses, dueInSeconds };
}
