import type { AuditEntry } from '@waybill/contracts';
import type { Peers } from '@waybill/kernel';

type Named = readonly { id: string; name: string }[];

/** Adds the current names of actors, and of users who were affected, as far as they are known. */
export async function addNames(
  peers: Peers,
  ownerId: string,
  entries: readonly AuditEntry[],
): Promise<AuditEntry[]> {
  const listIds = (type: AuditEntry['actor']['type']) =>
    entries.flatMap(({ actor }) => (actor.type === type ? (actor.id ?? []) : []));
  const users = [...listIds('user'), ...entries.flatMap(({ target }) => (isUser(target) ? target.id : []))];

  async function fetchNames(
    service: string,
    path: string,
    key: string,
    all: string[],
    more = {},
  ): Promise<Named> {
    const ids = [...new Set(all)];
    if (ids.length === 0) return [];
    const request = peers.call<Record<string, Named>>(service, 'POST', path, { ...more, ids });
    // Without a name the id still tells who acted.
    return (await request.catch(() => null))?.[key] ?? [];
  }
  const named = await Promise.all([
    fetchNames('identity', '/internal/users/names', 'users', users),
    fetchNames('identity', '/internal/api-keys/names', 'apiKeys', listIds('key'), { storeId: ownerId }),
    fetchNames('app-platform', '/internal/apps/names', 'apps', listIds('app')),
  ]);
  const names = new Map(named.flat().map(({ id, name }) => [id, name]));

  return entries.map((entry) => {
    const { actor, target } = entry;
    return {
      ...entry,
      actor: { ...actor, name: (actor.id && names.get(actor.id)) ?? null },
      target: isUser(target) ? { ...target, name: names.get(target.id) ?? null } : target,
    };
  });
}

const isUser = ({ type }: AuditEntry['target']) => type === 'member';
