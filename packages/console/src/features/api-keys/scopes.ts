import { type Domain, domains, permissions } from '@waybill/contracts/permissions';
import type { ApiKeyWords } from '../../texts/en/api-keys.ts';

/** Describes the scopes of a key, one phrase per resource. A scope without a text is shown as it is. */
export function describeScopes(
  scopes: readonly string[],
  words: ApiKeyWords,
  getDomainName: (domain: Domain) => string,
): string[] {
  if (permissions.every((permission) => scopes.includes(permission))) return [words.everythingShort];
  const known = domains.flatMap((domain) => {
    const rights = rightsTo(domain, scopes, words);
    return rights === null ? [] : [words.scopeOf({ domain: getDomainName(domain), rights })];
  });
  const unknown = scopes.filter((scope) => !(permissions as readonly string[]).includes(scope));
  return [...known, ...unknown];
}

function rightsTo(domain: Domain, scopes: readonly string[], words: ApiKeyWords): string | null {
  const [read, write] = [scopes.includes(`${domain}.read`), scopes.includes(`${domain}.write`)];
  if (read && write) return words.readAndWrite;
  if (read) return words.readOnly;
  return write ? words.writeOnly : null;
}
