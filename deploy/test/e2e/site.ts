import { eventually } from '@waybill/testing';
import { expectStatus, newKey, newPerson, newStore, type Person } from '../../testing/accounts.ts';
import { type Caller, createCaller } from '../../testing/client.ts';

const scopes = ['pages', 'products', 'webhooks'].flatMap((domain) => [`${domain}.read`, `${domain}.write`]);

export interface Node {
  id: string;
  type: string;
  props?: object;
  children?: string[];
}

/** Returns a document with these nodes side by side; `below` are their children. */
export function documentOf(nodes: Node[], below: Node[] = []) {
  const root = { id: 'root', type: 'section', children: nodes.map(({ id }) => id) };
  return { rootId: 'root', nodes: [root, ...nodes, ...below] };
}
export const heading = (text: string): Node => ({ id: 'h', type: 'heading', props: { specials: { text } } });
export const linkTo = (pageId: string): Node => ({
  id: 'l',
  type: 'link',
  props: { specials: { text: 'There', href: { type: 'page', pageId } } },
});
export const sectionRef = (sectionId: string): Node => ({
  id: 's',
  type: 'sectionRef',
  props: { specials: { sectionId } },
});

/** A store with its owner at the editor and a key for the public API. */
export class Site {
  readonly baseUrl: string;
  readonly owner: Person;
  readonly storeId: string;
  readonly slug: string;
  readonly api: Caller;

  constructor(baseUrl: string, owner: Person, storeId: string, slug: string, api: Caller) {
    this.baseUrl = baseUrl;
    this.owner = owner;
    this.storeId = storeId;
    this.slug = slug;
    this.api = api;
  }

  static async open(baseUrl: string, name: string): Promise<Site> {
    const owner = await newPerson(baseUrl);
    const storeId = await newStore(owner, name);
    const { store } = expectStatus(await owner.call('GET', `/api/stores/${storeId}`), 200).body;
    const { secret } = await newKey(owner, storeId, scopes);
    return new Site(baseUrl, owner, storeId, store.slug, createCaller(baseUrl, secret));
  }

  edit(method: string, path: string, json?: unknown) {
    return this.owner.call(method, `/api/stores/${this.storeId}${path}`, json);
  }
  visit(path: string, headers: Record<string, string> = {}) {
    return createCaller(this.baseUrl, undefined)('GET', `/s/${this.slug}${path}`, undefined, headers);
  }
  async page(name: string) {
    return expectStatus(await this.api('POST', '/api/v1/pages', { name }), 201).body.page;
  }
  async save(pageId: string, document: object): Promise<void> {
    expectStatus(await this.edit('PUT', `/pages/${pageId}/draft`, { document }), 200);
  }
  publish(pageId: string) {
    return this.api('POST', `/api/v1/pages/${pageId}/publish`);
  }
  async live(name: string, document: object) {
    const { id } = await this.page(name);
    await this.save(id, document);
    return expectStatus(await this.publish(id), 200).body.page;
  }
  async section(document: object): Promise<string> {
    const reply = await this.edit('POST', '/sections', { name: 'Footer', document });
    return expectStatus(reply, 201).body.section.id;
  }
  shows(path: string, what: string) {
    return eventually(async () => (await this.visit(path)).text.includes(what), {
      what: `${path} to show ${what}`,
    });
  }
}
