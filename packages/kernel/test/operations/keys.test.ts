import { createHash, randomBytes } from 'node:crypto';
import type { Principal } from '@waybill/contracts';
import {
  createPrincipalSigner,
  createPrincipalVerifier,
  derivePublicKey,
  ed25519Key,
} from '../../src/http/principal.ts';
import { callersText, findCaller, parseCallers, readKeys } from '../../src/operations/keys.ts';
import { readServiceTokens } from '../../src/service/process.ts';

const newKey = () => randomBytes(32).toString('base64url');

describe('the settings of a key', () => {
  const name = 'WAYBILL_PRINCIPAL_KEY';
  const read = (env: Record<string, string>) => readKeys(env, name);

  test('accept one key, or several named ones of which the first is used', () => {
    expect(read({ [name]: 'a' })).toEqual([{ id: '', value: 'a' }]);
    expect(read({ [name]: 'a', [`${name}S`]: 'new:b, old:a' })).toEqual([
      { id: 'new', value: 'b' },
      { id: 'old', value: 'a' },
    ]);
  });

  test('that are malformed end the start with a line that contains no key', () => {
    expect(() => read({})).toThrow(`${name}: must be set`);
    for (const text of [newKey(), `:${newKey()}`, `a b:${newKey()}`, 'new:', `new:${newKey()},`]) {
      const [key = 'no key'] = /[\w-]{43}/.exec(text) ?? [];
      const message = (() => {
        try {
          read({ [`${name}S`]: text });
          return '';
        } catch (error) {
          return (error as Error).message;
        }
      })();
      expect(message).toMatch(/^WAYBILL_PRINCIPAL_KEYS: entry \d is not name:value/);
      expect(message).not.toContain(key);
    }
    expect(() => read({ [`${name}S`]: 'new:a,new:b' })).toThrow('new appears twice');
  });
});

test('principals of the old key and of the new one are accepted as long as both are', async () => {
  const [old, fresh] = [ed25519Key(newKey()), ed25519Key(newKey())];
  const principal: Principal = { kind: 'user', userId: 'usr_1', email: 'ann@example.com' };
  const tokens = {
    old: await createPrincipalSigner(old)('1', principal),
    fresh: await createPrincipalSigner(fresh)('1', principal),
  };
  const verifiers = [[old], [fresh, old], [fresh]].map((keys) =>
    createPrincipalVerifier(keys.map(derivePublicKey)),
  );
  const accepted = (token: string) =>
    Promise.all(verifiers.map(async (verify) => (await verify(token)) !== null));
  expect(await accepted(tokens.old)).toEqual([true, true, false]);
  expect(await accepted(tokens.fresh)).toEqual([false, true, true]);
});

describe('a caller of internal routes', () => {
  const [catalog, orders] = [newKey(), newKey()];
  const callers = parseCallers(
    callersText([
      ['catalog', catalog],
      ['orders', orders],
    ]),
  );
  const find = (token: string) => findCaller(callers, `Bearer ${token}`);

  test('is identified by its token, and can be revoked alone', () => {
    expect([find(catalog), find(orders), find(newKey()), findCaller(callers, undefined)]).toEqual([
      'catalog',
      'orders',
      null,
      null,
    ]);
    const left = callers.filter(({ name }) => name !== 'catalog');
    expect([findCaller(left, `Bearer ${catalog}`), findCaller(left, `Bearer ${orders}`)]).toEqual([
      null,
      'orders',
    ]);
    // The configured hash itself lets nobody in.
    expect(find(createHash('sha256').update(catalog).digest('hex'))).toBeNull();
  });

  test('needs this process’s own token if no callers are configured', () => {
    const own = readServiceTokens({ WAYBILL_SERVICE_TOKENS: `new:${orders},old:${catalog}` });
    expect(own.serviceTokens).toEqual([orders, catalog]);
    expect(own.callers.map(({ name }) => name)).toEqual(['new', 'old']);
    const strict = readServiceTokens({
      WAYBILL_SERVICE_TOKEN: orders,
      WAYBILL_CALLERS: callersText([['catalog', catalog]]),
    });
    expect(findCaller(strict.callers, `Bearer ${orders}`)).toBeNull();
    expect(() => readServiceTokens({ WAYBILL_SERVICE_TOKEN: 'short' })).toThrow(
      'WAYBILL_SERVICE_TOKEN: must be 16',
    );
    expect(() => parseCallers('catalog:x')).toThrow('WAYBILL_CALLERS: catalog: must be a SHA-256');
  });
});
