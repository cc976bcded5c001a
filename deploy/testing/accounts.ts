import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, createCaller, type Reply } from './client.ts';
import { nextInvitation, vouchFor } from './operators.ts';

export interface Person {
  baseUrl: string;
  userId: string;
  email: string;
  password: string;
  accessToken: string;
  refreshToken: string;
  call: Caller;
}

/** Throws an error with the answer if the status is another one. */
export function expectStatus<Got extends Reply>(reply: Got, status: number): Got {
  if (reply.status !== status) throw new Error(`${reply.status} instead of ${status}: ${reply.text}`);
  return reply;
}

/** Registers a user, and waits when the limit requires it: it counts by address, and a whole suite has one. */
export async function register(
  baseUrl: string,
  account: { email: string; password?: string; name?: string },
): Promise<Reply> {
  for (;;) {
    const reply = await createCaller(baseUrl, undefined)('POST', '/api/auth/register', account);
    if (reply.status !== 429) return reply;
    await sleep(Number(reply.headers['retry-after']) * 1000);
  }
}

/** Registers a user with a unique e-mail address. */
export async function newPerson(baseUrl: string, name = 'Ann'): Promise<Person> {
  // Suites share systems, and each counts by itself.
  const unique = randomBytes(8).toString('hex');
  const email = `person-${unique}@example.com`;
  const password = `correct horse ${unique}`;
  const { body } = expectStatus(await register(baseUrl, { email, password, name }), 201);
  const { user, accessToken, refreshToken } = body;
  return {
    baseUrl,
    userId: user.id,
    email,
    password,
    accessToken,
    refreshToken,
    call: createCaller(baseUrl, accessToken),
  };
}

export async function newStore(owner: Person, name = 'Tea House'): Promise<string> {
  return expectStatus(await owner.call('POST', '/api/stores', { name }), 201).body.store.id;
}

export async function newKey(
  creator: Person,
  storeId: string,
  scopes: readonly string[],
): Promise<{ keyId: string; secret: string }> {
  const reply = await creator.call('POST', `/api/stores/${storeId}/api-keys`, { name: 'Key', scopes });
  const { apiKey, secret } = expectStatus(reply, 201).body;
  return { keyId: apiKey.id, secret };
}

/** Verifies a person's address. */
export const verify = ({ baseUrl, ...account }: Person): Promise<void> => vouchFor(baseUrl, account);

/** Makes a person a member of a store. */
export const join = (owner: Person, storeId: string, person: Person, role: string): Promise<void> =>
  joinBy(owner, `/api/stores/${storeId}/members`, person, role);

/** Makes a person a member of an organisation. */
export const joinOrg = (owner: Person, orgId: string, person: Person, role: string): Promise<void> =>
  joinBy(owner, `/api/orgs/${orgId}/members`, person, role);

/** Makes a person a member through the route that invites: verifies both, and accepts. */
export async function joinBy(owner: Person, members: string, person: Person, role: string): Promise<void> {
  await Promise.all([owner, person].map(verify));
  expectStatus(await owner.call('POST', members, { email: person.email, role }), 201);
  await acceptNext(person);
}

/** Accepts the next invitation that a person gets by mail. */
export async function acceptNext({ baseUrl, email, call }: Person): Promise<void> {
  const token = await nextInvitation(baseUrl, email);
  expectStatus(await call('POST', '/api/invitations/accept', { token }), 200);
}
