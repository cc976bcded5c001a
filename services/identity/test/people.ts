import type { Principal, Role } from '@waybill/contracts';
import { keptConnections, runSql, type TestSystem } from '@waybill/testing';
import { decodeJwt } from 'jose';
import request from 'supertest';

export const password = 'correct horse battery';

let personCount = 0;

export interface Person {
  id: string;
  email: string;
  sessionId: string;
  accessToken: string;
  refreshToken: string;
}

export const repeat = <Result>(times: number, work: (i: number) => PromiseLike<Result>) =>
  Promise.all(Array.from({ length: times }, (_, i) => work(i)));

/** Returns the session id in an access token. */
export const parseSessionId = (accessToken: string): string => decodeJwt<{ sid: string }>(accessToken).sid;

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Creates a client that calls identity without a credential, as a signed-in person, or as the gateway. */
export function createClient(system: TestSystem) {
  const send = (method: Method, path: string, headers: Record<string, string>, body?: unknown) => {
    const call = request(system.internalUrl)[method](path).agent(keptConnections).set(headers);
    return body === undefined
      ? call
      : call.set('content-type', 'application/json').send(JSON.stringify(body));
  };

  async function newPerson(name = 'Ann'): Promise<Person> {
    const email = `person-${++personCount}@example.com`;
    // Each person has a different address, because registrations are limited per address.
    const address = `198.18.${personCount >> 8}.${personCount & 255}`;
    const res = await send(
      'post',
      '/api/auth/register',
      { 'x-waybill-address': address },
      { email, password, name },
    );
    expect(res.status).toBe(201);
    const { user, accessToken, refreshToken } = res.body;
    return { id: user.id, email, sessionId: parseSessionId(accessToken), accessToken, refreshToken };
  }

  /** Acts as the gateway on behalf of a person; with a store, the role is the one that the gateway found. */
  function as({ id, email, sessionId }: Person, storeId?: string, role?: Role) {
    const principal: Principal = {
      kind: 'user',
      userId: id,
      email,
      ...(storeId ? { storeId, role: role! } : { sessionId }),
    };
    const call = async (method: Method, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      send(method, path, { ...(await system.as(principal)), ...headers }, body);
    return {
      call,
      get: (path: string, headers = {}) => call('get', path, undefined, headers),
      post: (path: string, body: unknown) => call('post', path, body),
      patch: (path: string, body: unknown) => call('patch', path, body),
      delete: (path: string, body?: unknown, headers = {}) => call('delete', path, body, headers),
    };
  }

  async function newStore(owner: Person): Promise<string> {
    const res = await as(owner).post('/api/stores', { name: 'Shop' });
    expect(res.status).toBe(201);
    return res.body.store.id;
  }

  /** Adds a member without an invitation. */
  async function addMember(storeId: string, _: Person, member: Person, role: Role): Promise<void> {
    await runSql(
      system,
      'identity',
      `insert into member (store_id, user_id, role) values ('${storeId}', '${member.id}', '${role}')`,
    );
  }

  /** Verifies a person's address, because mails about changes go only to verified addresses. */
  const verify = ({ id }: Person) =>
    runSql(system, 'identity', `update user_account set email_verified_at = now() where id = '${id}'`);

  return {
    newPerson,
    verify,
    as,
    newStore,
    addMember,
    /** Sends a request without a principal; `address` is the network address that the gateway reports. */
    post: (path: string, body: unknown, address = '192.0.2.1', headers: Record<string, string> = {}) =>
      send('post', path, { 'x-waybill-address': address, ...headers }, body),
    get: (path: string) => send('get', path, {}),
    /** Sends a request as another service. */
    internal: (path: string, body: unknown) =>
      send('post', `/internal/${path}`, { authorization: `Bearer ${system.serviceToken}` }, body),
  };
}
export type Client = ReturnType<typeof createClient>;
