import { Resolver } from 'node:dns/promises';

/** What DNS says of a record: it is there, it is not, or nobody can tell at the moment. */
export type Finding = 'there' | 'missing' | 'unknown';

/** Answers by which a name's server says that there is nothing. */
const definite = new Set(['ENOTFOUND', 'ENODATA']);

/** Where the record of a hostname stands, and what it must say: `decisions.md 17.7`. */
export const recordOf = ({ hostname, token }: { hostname: string; token: string }) => ({
  name: `_waybill.${hostname}`,
  value: `waybill-verification=${token}`,
});

export type Records = ReturnType<typeof createRecords>;

/** Asks these servers, `address` or `address:port` each, or the system's where there are none. */
export function createRecords(servers: readonly string[]) {
  const open = new Set<Resolver>();
  return {
    async find(domain: { hostname: string; token: string }): Promise<Finding> {
      const { name, value } = recordOf(domain);
      // A new one each time: it would remember that there was nothing for as long as the zone says, an hour perhaps.
      const resolver = new Resolver({ timeout: 2_000, tries: 2 });
      if (servers.length > 0) resolver.setServers(servers);
      open.add(resolver);
      try {
        // A long text comes in parts.
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
