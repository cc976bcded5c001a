import { createCredential, newId } from '@waybill/contracts';
import {
  type Cache,
  createInProcessCache,
  createLog,
  type Peers,
  type ServiceContext,
} from '@waybill/kernel';
import { BearerAdmission } from '../src/admission.ts';
import type { Config } from '../src/config.ts';
import { isPaymentReport } from '../src/prefixes.ts';

const guessesPerMinute = 10;
const storeId = newId('store');
const user = { kind: 'user' as const, userId: newId('user'), email: 'ann@example.com' };

/**
 * Creates an admission with a stand-in for identity that knows one key, one session and one member, and counts the
 * look-ups.
 */
function startAdmission(cache: Cache = createInProcessCache()) {
  const lookUps = { cache: 0, identity: [] as string[] };
  const known = { key: createCredential('wbk'), hasSession: true, hasMember: true };
  const counted: Cache = {
    ...cache,
    admit(...parameters) {
      lookUps.cache++;
      return cache.admit(...parameters);
    },
  };
  let keysMade = 0;
  const appToken = createCredential('wba');
  const peers = {
    has: () => true,
    async call(_service: string, _method: string, path: string, body: { hash: string; userId: string }) {
      lookUps.identity.push(path);
      if (path === '/internal/sessions/resolve') {
        const epoch = await cache.epoch(body.userId);
        return known.hasSession ? { epoch, isReviewer: true } : null;
      }
      const epoch = await cache.epoch(storeId);
      if (path === '/internal/members/resolve') return known.hasMember ? { epoch, role: 'owner' } : null;
      if (path === '/internal/app-tokens/resolve') {
        const app = { kind: 'app', storeId, appId: 'app', installId: 'ins', scopes: [], isUninstalled: true };
        return { epoch, storeId, outcome: 'ok', principal: app, expiresAt: Date.now() + 60_000 };
      }
      // The first requested hash belongs to the key.
      const principal = { kind: 'apiKey', storeId, keyId: 'key', scopes: [], creatorPermissions: [] };
      return keysMade++ === 0 ? { epoch, storeId, outcome: 'ok', principal } : null;
    },
  } as unknown as Peers;
  const config = { rateLimit: { perMinute: 1000, burst: 1000 }, guessesPerMinute } as Config;
  const context = { config, cache: counted, peers, log: createLog('silent') } as ServiceContext<Config>;
  const admission = new BearerAdmission(context, {
    verify: async () => ({ user, sessionId: 'session' }),
  });
  const readCode = (admitted: Promise<object>) =>
    admitted.then(
      (found) => ('refusal' in found ? (found.refusal as { code: string }).code : 'ok'),
      (error) => error.code as string,
    );
  return {
    lookUps,
    known,
    cache,
    byKey: (address: string) => readCode(admission.admitCredential(`Bearer ${known.key}`, address)),
    byAppToken: (isReport: boolean) =>
      readCode(admission.admitCredential(`Bearer ${appToken}`, '192.0.2.1', isReport)),
    byGuess: (address: string, guess = createCredential('wbk')) =>
      readCode(admission.admitCredential(`Bearer ${guess}`, address)),
    admitUser: (store: string | null) => admission.admitUser('Bearer token', store),
    byUser: (store: string | null) => readCode(admission.admitUser('Bearer token', store)),
  };
}

const times = async (count: number, ask: () => Promise<string>) => {
  const codes = [];
  for (let i = 0; i < count; i++) codes.push(await ask());
  return codes;
};

describe('an unknown credential', () => {
  test('is looked up a limited number of times for one network', async () => {
    const { lookUps, byKey, byGuess } = startAdmission();
    expect(await byKey('192.0.2.1')).toBe('ok');
    expect(await times(guessesPerMinute, () => byGuess('192.0.2.1'))).toEqual(
      Array(guessesPerMinute).fill('invalid_credential'),
    );
    const before = { cache: lookUps.cache, identity: lookUps.identity.length };
    expect(await times(50, () => byGuess('192.0.2.1'))).toEqual(Array(50).fill('rate_limited'));
    expect({ cache: lookUps.cache, identity: lookUps.identity.length }).toEqual(before);
    expect(await times(50, () => byKey('192.0.2.1'))).toEqual(Array(50).fill('ok'));
    expect(await byGuess('192.0.2.2')).toBe('invalid_credential');
  });

  test('costs no look-up if it is malformed, and one if it is repeated', async () => {
    const { lookUps, byKey, byGuess } = startAdmission();
    await byKey('192.0.2.1');
    const mistyped = `wbk_${'0'.repeat(36)}`;
    const guess = createCredential('wbk');
    const codes = await times(20, () => byGuess('192.0.2.1', mistyped));
    codes.push(...(await times(20, () => byGuess('192.0.2.1', guess))));
    expect(new Set(codes)).toEqual(new Set(['invalid_credential']));
    expect(lookUps).toMatchObject({ cache: 2, identity: { length: 2 } });
  });
});

describe('a flood of unknown credentials from as many addresses', () => {
  test('costs a limited number of look-ups, and does not affect known credentials', async () => {
    const { lookUps, byKey, byGuess } = startAdmission();
    await byKey('192.0.2.1');
    const flood = Array.from({ length: 800 }, (_, i) => byGuess(`198.51.${i >> 8}.${i & 255}`));
    let isOver = false;
    const over = Promise.all(flood).then((codes) => {
      isOver = true;
      return codes;
    });
    expect(await times(20, () => byKey('192.0.2.1'))).toEqual(Array(20).fill('ok'));
    expect(isOver).toBe(false);
    const codes = await over;
    expect(new Set(codes)).toEqual(new Set(['invalid_credential', 'resource_unavailable']));
    expect(lookUps.identity.length).toBeLessThan(400);
  });
});

describe('the token of an uninstalled app', () => {
  test('is accepted only for reports on payments, cached or not', async () => {
    const { cache, byAppToken } = startAdmission();
    for (let i = 0; i < 3; i++) {
      expect(await byAppToken(false)).toBe('app_token_invalid');
      expect(await byAppToken(true)).toBe('ok');
      await cache.bumpEpoch(storeId);
    }
    const report = '/api/v1/payment-sessions/pss_1';
    expect(isPaymentReport('POST', report)).toBe(true);
    for (const [method, path] of [
      ['GET', report],
      ['PUT', report],
      ['POST', `${report}/`],
      ['POST', `${report}/x`],
      ['POST', '/api/v1/payment-sessions'],
      ['POST', '/api/v1/payment-sessions/'],
      ['POST', '/api/v1/payments/pss_1'],
      ['POST', '/api/v1/x/payment-sessions/pss_1'],
    ] as const)
      expect([method, path, isPaymentReport(method, path)]).toEqual([method, path, false]);
  });
});

describe("a user's token", () => {
  test('costs one call of the cache, and two of identity: for the session and for the store', async () => {
    const { lookUps, byUser } = startAdmission();
    expect(await times(5, () => byUser(null))).toEqual(Array(5).fill('ok'));
    expect(await times(5, () => byUser(storeId))).toEqual(Array(5).fill('ok'));
    expect(lookUps.cache).toBe(10);
    expect(lookUps.identity).toEqual(['/internal/sessions/resolve', '/internal/members/resolve']);
  });

  test('says whether the user is a reviewer, but not in a store', async () => {
    const { admitUser } = startAdmission();
    expect(await admitUser(null)).toMatchObject({ principal: { ...user, isReviewer: true } });
    expect((await admitUser(storeId)) as object).toMatchObject({
      principal: { ...user, storeId, role: 'owner' },
    });
  });

  test.each([null, storeId])('is refused after the end of its session (store: %s)', async (store) => {
    const { lookUps, known, cache, byUser } = startAdmission();
    expect(await byUser(store)).toBe('ok');
    known.hasSession = false;
    await cache.bumpEpoch(user.userId);
    const before = lookUps.identity.length;
    expect(await times(5, () => byUser(store))).toEqual(Array(5).fill('user_token_required'));
    expect(lookUps.identity).toHaveLength(before + 1);
  });

  test('is looked up every time while the cache is unreachable, so that no change is missed', async () => {
    const cache = createInProcessCache();
    const away: Cache = {
      ...cache,
      admit: async (bucket, limit, keys) => ({
        ...(await cache.admit(bucket, limit, [])),
        entries: keys.map(() => null),
      }),
      bumpEpoch: async () => {},
    };
    const { known, byUser } = startAdmission(away);
    expect([await byUser(null), await byUser(storeId)]).toEqual(['ok', 'ok']);
    known.hasMember = false;
    expect(await byUser(storeId)).toBe('not_found');
    known.hasSession = false;
    expect(await byUser(null)).toBe('user_token_required');
    expect(await byUser(storeId)).toBe('user_token_required');
  });
});
