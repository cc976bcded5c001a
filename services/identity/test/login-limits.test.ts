import { startSystem, type TestSystem } from '@waybill/testing';
import { identity } from '../src/index.ts';
import { type Client, createClient, password, repeat } from './people.ts';

let system: TestSystem;
let client: Client;
beforeAll(async () => {
  system = await startSystem([identity]);
  client = createClient(system);
});
afterAll(() => system.stop());

const login = (email: string, secret: string, address?: string) =>
  client.post('/api/auth/login', { email, password: secret }, address);

describe('the limit of failed logins', () => {
  test('an account: 10 failures, then 429 with Retry-After even for the right password', async () => {
    const { email } = await client.newPerson();
    const other = await client.newPerson();
    for (let i = 0; i < 10; i++) expect((await login(email, 'wrong', `203.0.113.${i}`)).status).toBe(401);
    const res = await login(email.toUpperCase(), password, '203.0.113.99');
    expect(res).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(res.headers['retry-after'])).toBeGreaterThan(800);
    expect(Number(res.headers['retry-after'])).toBeLessThanOrEqual(900);
    expect((await login(other.email, password, '203.0.113.0')).status).toBe(200);
  });
  test('a limited attempt is refused before its password is hashed', async () => {
    const [looked, refused]: number[][] = [[], []];
    for (let i = 0; i < 15; i++) {
      const started = performance.now();
      const { status } = await login('slow@example.com', 'wrong', '203.0.118.1');
      (status === 401 ? looked : refused)!.push(performance.now() - started);
    }
    expect(Math.min(...refused!)).toBeLessThan(Math.min(...looked!) / 2);
  });
  test('also an account that does not exist is limited', async () => {
    const all = [];
    for (let i = 0; i < 11; i++) all.push((await login('ghost@example.com', 'x', '203.0.114.1')).status);
    expect(all).toEqual([...Array(10).fill(401), 429]);
  });
  test('a success forgets the failures, and only failures count', async () => {
    const { email } = await client.newPerson();
    for (let i = 0; i < 9; i++) await login(email, 'wrong', '203.0.115.1');
    const successes = await repeat(12, () => login(email, password, '203.0.115.1'));
    expect(successes.every(({ status }) => status === 200)).toBe(true);
    for (let i = 0; i < 9; i++) await login(email, 'wrong', '203.0.115.1');
    expect((await login(email, password, '203.0.115.1')).status).toBe(200);
  });
  test('of 30 simultaneous failures, at most 10 are checked', async () => {
    const { email } = await client.newPerson();
    const all = await repeat(30, () => login(email, 'wrong', '203.0.116.1'));
    expect(all.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(all.filter(({ status }) => status === 429)).toHaveLength(20);
  });
  test('an IPv6 address: all of its network of 64 bits', async () => {
    const wrong = (i: number) => login(`six-${i}@example.com`, 'x', `2001:db8:0:7::${i.toString(16)}`);
    for (let i = 0; i < 100; i += 20) await repeat(20, (j) => wrong(i + j));
    const { email } = await client.newPerson();
    expect((await login(email, password, '2001:db8:0:7:ffff::1')).status).toBe(429);
    expect((await login(email, password, '2001:db8:0:8::1')).status).toBe(200);
  });
  test('an address: 100 failures over all accounts, then 429', async () => {
    const address = '203.0.117.1';
    for (let i = 0; i < 100; i += 20) await repeat(20, (j) => login(`a${i + j}@example.com`, 'x', address));
    const { email } = await client.newPerson();
    expect((await login(email, password, address)).status).toBe(429);
    expect((await login(email, password, '203.0.117.2')).status).toBe(200);
  });
});

describe('the limit of registering', () => {
  const register = (i: number, address: string) =>
    client.post(
      '/api/auth/register',
      { email: `crowd-${address.replaceAll(':', '-')}-${i}@example.com`, password, name: 'C' },
      address,
    );

  test('a network: a burst of a tenth, then 429 with Retry-After, whatever the body; others go on', async () => {
    // Invalid bodies are refused quickly, so the bucket cannot fill up again in between.
    const all = await repeat(60, (i) =>
      client.post('/api/auth/register', { email: i }, `2001:db8:0:9::${i.toString(16)}`),
    );
    const refused = all.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(all.filter(({ status }) => status === 400).length).toBe(60 - refused.length);
    expect(60 - refused.length).toBeGreaterThanOrEqual(20);
    expect(refused[0]!.body.code).toBe('rate_limited');
    expect(Number(refused[0]!.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await register(1, '2001:db8:0:a::1')).status).toBe(201);
  });

  test('who registers has slots of their own: a login is answered while all of them are taken', async () => {
    const { email } = await client.newPerson();
    let isOver = false;
    const crowd = repeat(30, (i) => register(i, `198.51.100.${i}`)).then((all) => {
      isOver = true;
      return all.map(({ status }) => status);
    });
    expect((await login(email, password)).status).toBe(200);
    expect(isOver).toBe(false);
    expect(await crowd).toEqual(Array(30).fill(201));
  });

  test('logins of one network do not delay another’s', async () => {
    const { email } = await client.newPerson();
    let isOver = false;
    const crowd = repeat(50, (i) => login(`hold-up-${i}@example.com`, 'wrong', '203.0.119.1')).then(() => {
      isOver = true;
    });
    expect((await login(email, password, '203.0.120.1')).status).toBe(200);
    expect(isOver).toBe(false);
    await crowd;
  });

  test('networks that keep failing wait behind one that does not', async () => {
    const { email } = await client.newPerson();
    const wrong = (i: number) => login(`keeps-failing-${i}@example.com`, 'wrong', `203.0.121.${i % 10}`);
    await repeat(30, wrong);
    let answered = 0;
    const crowd = repeat(30, async (i) => {
      await wrong(i + 30);
      answered++;
    });
    expect((await login(email, password, '203.0.122.1')).status).toBe(200);
    expect(answered).toBeLessThan(10);
    await crowd;
  });
});
