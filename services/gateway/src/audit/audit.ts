import { type AuditEntry, type AuditQuery, errors, idPattern } from '@waybill/contracts';
import { defineCursors, type Peers } from '@waybill/kernel';
import Type from 'typebox';
import { addNames } from './names.ts';
import type { AuditFilter, AuditPage } from './routes.ts';

/** A cursor points between two entries: it is the id of the newer one, which is unique within an audit. */
const cursors = defineCursors('audit', Type.String({ pattern: idPattern('auditEntry') }));

/**
 * Reads a page of the audit of a store or an organisation, merged from the services that hold parts of it.
 * @throws invalid_cursor, resource_unavailable if one of them cannot be reached
 */
export async function readAudit(
  peers: Peers,
  services: readonly string[],
  ownerId: string,
  { actor, action, since, until, after, limit }: AuditFilter,
): Promise<AuditPage> {
  // An empty parameter counts as omitted, as in any list (`decisions.md 1.9`).
  const filter = {
    ...(actor && { actor }),
    ...(action && { action }),
    ...(since && { since }),
    ...(until && { until }),
  };
  const scope = [ownerId, filter];
  const before = cursors.read(scope, after);
  // One entry more than the page shows tells whether anything follows.
  const query: AuditQuery = { ownerId, ...filter, ...(before !== null && { before }), limit: limit + 1 };
  const parts = await Promise.all(services.map((service) => readPart(peers, service, query)));
  // Ids begin with their time, so sorting by id sorts by time.
  const found = parts.flat().sort((a, b) => (a.id < b.id ? 1 : -1));
  const entries = found.slice(0, limit);
  const last = found.length > limit ? entries.at(-1)! : null;
  return {
    entries: await addNames(peers, ownerId, entries),
    nextCursor: last && cursors.at(scope, last.id),
  };
}

async function readPart(peers: Peers, service: string, query: AuditQuery): Promise<AuditEntry[]> {
  const part = await peers.call<{ entries: AuditEntry[] }>(
    service,
    'POST',
    `/internal/audit/${service}`,
    query,
  );
  if (!part) throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
  return part.entries;
}
