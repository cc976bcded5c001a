import { type Permission, type Principal, permissions, type Role } from '@waybill/contracts';
import { keptConnections, type TestSystem } from '@waybill/testing';
import request from 'supertest';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

let stores = 0;

/** Creates a store, with a client of the public API and one of the editor's. */
export async function newStore(system: TestSystem) {
  const storeId = `str_${String(++stores).padStart(26, '0')}`;
  type Headers = Record<string, string>;
  const send = async (
    principal: Principal,
    method: Method,
    path: string,
    body?: unknown,
    headers: Headers = {},
  ) => {
    const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    const call = request(system.internalUrl)
      [verb](path)
      .agent(keptConnections)
      .set(await system.as(principal))
      .set(headers);
    return body === undefined
      ? call
      : call.set('content-type', 'application/json').send(JSON.stringify(body));
  };
  const withScopes = (scopes: Permission[]) => {
    const principal: Principal = {
      kind: 'apiKey',
      storeId,
      keyId: 'key_1',
      scopes,
      creatorPermissions: scopes,
    };
    return (method: Method, path: string, body?: unknown) => send(principal, method, path, body);
  };
  const asMember =
    (role: Role, userId = 'usr_1') =>
    /** `path` without `/api/stores/{storeId}`. */
    (method: Method, path: string, body?: unknown, headers?: Headers) =>
      send(
        { kind: 'user', userId, email: 'a@b.example', storeId, role },
        method,
        `/api/stores/${storeId}${path}`,
        body,
        headers,
      );
  return { storeId, api: withScopes([...permissions]), withScopes, asMember, edit: asMember('editor') };
}
