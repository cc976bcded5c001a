import { expectStatus, type Person } from '../../testing/accounts.ts';
import { type Caller, createCaller, send } from '../../testing/client.ts';
import type { SharedSystem } from './topologies.ts';

const scopes = ['appdata.read'];
const blockKey = 'box';

/** An approved app whose block is a text with an island. */
export interface IslandApp {
  /** The node that shows its block. */
  node: { id: string; type: string; props: object };
  installIn(storeId: string, merchant: Person): Promise<void>;
}

/** Creates an app with an approved version; `Island` is the source of the island's class. */
export async function approvedIslandApp(system: SharedSystem, Island: string): Promise<IslandApp> {
  const [developer, reviewer] = [await signIn(system, 'developer'), await signIn(system, 'reviewer')];
  const { org } = expectStatus(await developer.call('POST', '/api/orgs', { name: 'Islanders' }), 201).body;
  const appInput = { name: 'Island', redirectUris: ['https://app.example/cb'] };
  const { app } = expectStatus(await developer.call('POST', `/api/orgs/${org.id}/apps`, appInput), 201).body;
  const versions = `/api/orgs/${org.id}/apps/${app.id}/versions`;
  const { version } = expectStatus(await developer.call('POST', versions, { scopes }), 201).body;
  const path = `${versions}/${version.id}`;
  const block = {
    key: blockKey,
    name: 'Box',
    rootId: 'root',
    nodes: [{ id: 'root', type: 'text', island: 'box', props: { specials: { text: 'As it was written' } } }],
    slots: [],
    traits: [],
  };
  expectStatus(await developer.call('PUT', `${path}/islands`, { islands: [{ name: 'box' }] }), 200);
  const upload = await send(system.baseUrl, 'POST', `${path}/islands/module?name=box`, {
    headers: { authorization: `Bearer ${developer.token}`, 'content-type': 'text/javascript' },
    body: `window.WB.register('app.${app.id}.box', ${Island});`,
  });
  expectStatus(upload, 201);
  expectStatus(await developer.call('PUT', `${path}/blocks`, { blocks: [block] }), 200);
  expectStatus(await developer.call('POST', `${path}/submit`), 200);
  expectStatus(await reviewer.call('POST', `/api/review/versions/${version.id}/approve`), 200);
  return {
    node: { id: 'box', type: 'blockRef', props: { specials: { appId: app.id, blockKey }, settings: {} } },
    async installIn(storeId, merchant) {
      const install = `/api/stores/${storeId}/apps/${app.id}/install`;
      expectStatus(await merchant.call('POST', install, { scopes }), 201);
    },
  };
}

async function signIn(
  { baseUrl, demo }: SharedSystem,
  account: 'developer' | 'reviewer',
): Promise<{ token: string; call: Caller }> {
  const { email, password } = demo[account];
  const login = await createCaller(baseUrl, undefined)('POST', '/api/auth/login', { email, password });
  const { accessToken: token } = expectStatus(login, 200).body;
  return { token, call: createCaller(baseUrl, token) };
}
