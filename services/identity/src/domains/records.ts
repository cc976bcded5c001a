import { Resolver } from 'node:dns/promises';

/** The result of a DNS query: the record exists, is missing, or cannot be determined at the moment. */
export type RecordStatus = 'there' | 'missing' | 'unknown';

/** Error codes with which a name server says that no record exists. */
const definite = new Set(['ENOTFOUND', 'ENODATA']);

/** Returns the name and value of the DNS record that proves a hostname: `decisions.md 17.7`. */
export const createRecord = ({ hostname, token }: { hostname: string; token: string }) => ({
  name: `_waybill.${hostname}`,
  value: `waybill-verification=${token}`,
});

export type Records = ReturnType<typeof createRecords>;

/**
 * Creates the client for DNS queries. It uses the given servers (`address` or `address:port`), or the system's if there
 * are none.
 */
export function createRecords(servers: readonly string[]) {
  const open = new Set<Resolver>();
  return {
    async find(domain: { hostname: string; token: string }): Promise<RecordStatus> {
      const { name, value } = createRecord(domain);
      // A resolver caches missing records for as long as the zone says, perhaps an hour, so each query uses a new one.
      const resolver = new Resolver({ timeout: 2_000, tries: 2 });
      if (servers.length > 0) resolver.setServers(servers);
      open.add(resolver);
      try {
        // DNS splits a long text into parts.
        const texts = (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
        return texts.some((text) => text.trim() === value) ? 'there' : 'missing';
      } catch (error) {
        return definite.has((error as NodeJS.ErrnoException).code ?? '') ? 'missing' : 'unknown';
      } finally {
        open.delete(resolver);
      }
    },
    close() {
      for (const resolver of open) resolver.cancel();
    },
  };
}
