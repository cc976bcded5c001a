import { startSystem, type TestSystem } from '@waybill/testing';
import { identity } from '../src/index.ts';
import { type Client, clientOf, password, repeat } from './people.ts';

let system: TestSystem;
let client: Client;
beforeAll(async () => {
  system = await startSystem([identity]);
  client = clientOf(system);
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
  test('of 30 failures at once no more than 10 are looked into', async () => {
    const { email } = await client.newPerson();
    const all = await repeat(30, () => login(email, 'wrong', '203.0.116.1'));
    expect(all.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(all.filter(({ status }) => status === 429)).toHaveLength(20);
  });
  test('an address: 100 failures over all accounts, then 429', async () => {
    const address = '203.0.117.1';
    for (let i = 0; i < 100; i += 20) await repeat(20, (j) => login(`a${i + j}@example.com`, 'x', address));
    const { email } = await client.newPerson();
    expect((await login(email, password, address)).status).toBe(429);
    expect((await login(email, password, '203.0.117.2')).status).toBe(200);
  });
});
