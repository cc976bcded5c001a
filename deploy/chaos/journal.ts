import type { Caller, Reply } from '../testing/client.ts';

const products = '/api/v1/products';

export const kinds = ['created', 'updated', 'deleted'] as const;
export type Kind = (typeof kinds)[number];

/** One write of a client. Its mark, unique to each write, is the name that it gives its product. */
interface Entry {
  kind: Kind;
  mark: string;
  /** Null for a create whose answer never came. */
  productId: string | null;
  /** The client's knowledge: the write was answered, it was refused, or nothing is known. */
  outcome: 'answered' | 'refused' | 'unknown';
  isRefused: boolean;
  /** Every second write has a key, with which it can be repeated if its answer never came. */
  key: string | null;
}

/** The possible names of each product, as far as the journal knows; null means that the product does not exist. */
type Expected = Map<string, Set<string | null>>;

/** Clients that write products, one write after the other, and record the answers. */
export class Journal {
  readonly #entries: Entry[] = [];
  readonly #prefix: string;
  #marks = 0;
  answered = 0;

  /** Journals that must be distinguished need different prefixes. */
  constructor(prefix = 'mark') {
    this.#prefix = prefix;
  }

  /** Returns the number of writes with an outcome. */
  count(outcome: Entry['outcome']): number {
    return this.#entries.filter((entry) => entry.outcome === outcome).length;
  }

  /** Writes until the connection breaks or it is told to stop: creates, updates, deletes, and refused writes. */
  async write(call: Caller, isOver: () => boolean = () => false): Promise<void> {
    const own: string[] = [];
    for (let i = 0; !isOver(); i++) {
      const target = own[i % own.length];
      const kind = !target || i % 4 === 0 ? 'created' : i % 9 === 8 ? 'deleted' : 'updated';
      const isRefused = i % 5 === 3;
      const entry = await this.#write(call, kind, kind === 'created' ? null : target!, isRefused);
      if (entry.outcome === 'unknown') return;
      if (isRefused) continue;
      if (kind === 'created') own.push(entry.productId!);
      if (kind === 'deleted') own.splice(own.indexOf(target!), 1);
    }
  }

  async #write(
    call: Caller,
    kind: Entry['kind'],
    productId: string | null,
    isRefused: boolean,
  ): Promise<Entry> {
    const mark = `${this.#prefix}-${++this.#marks}`;
    const key = this.#marks % 2 === 0 ? mark : null;
    const entry: Entry = { kind, mark, productId, outcome: 'unknown', isRefused, key };
    this.#entries.push(entry);
    return this.#send(call, entry);
  }

  /** Repeats unanswered writes that have a key: after that, they are known to be done exactly once. */
  async sendAgain(call: Caller): Promise<void> {
    const unanswered = this.#entries.filter(({ outcome, key }) => outcome === 'unknown' && key);
    for (const entry of unanswered) {
      const { outcome } = await this.#send(call, entry);
      if (outcome === 'unknown') throw new Error(`${entry.mark} was not answered again`);
    }
  }

  async #send(call: Caller, entry: Entry): Promise<Entry> {
    const { productId, isRefused } = entry;
    const variants = [{ priceCents: isRefused ? -1 : 100 }];
    const reply = await this.#ask(call, entry, { name: entry.mark, variants });
    if (!reply || reply.status >= 500) return entry;
    if (reply.status >= 400) entry.outcome = 'refused';
    else {
      entry.outcome = 'answered';
      entry.productId = reply.body?.product.id ?? productId;
      this.answered++;
    }
    if (isRefused !== (entry.outcome === 'refused'))
      throw new Error(`unexpected ${reply.status}: ${reply.text}`);
    return entry;
  }

  #ask(call: Caller, { kind, productId, isRefused, key }: Entry, body: object): Promise<Reply | null> {
    const noAnswer = () => null;
    const headers: Record<string, string> = key ? { 'idempotency-key': key } : {};
    if (kind === 'created') return call('POST', products, body, headers).catch(noAnswer);
    // A delete that is refused, of a product that never existed.
    const id = kind === 'deleted' && isRefused ? `prd_${'0'.repeat(26)}` : productId;
    if (kind === 'deleted') return call('DELETE', `${products}/${id}`, undefined, headers).catch(noAnswer);
    return call('PUT', `${products}/${id}`, body, headers).catch(noAnswer);
  }

  /** Returns the differences between the stored names by id and the answers. */
  lostWrites(stored: ReadonlyMap<string, string>): string[] {
    const unknownCreates = this.#entries.filter((entry) => !entry.productId).map(({ mark }) => mark);
    const expected = this.#expected();
    const problems: string[] = [];
    for (const [id, names] of expected) {
      const name = stored.get(id) ?? null;
      if (!names.has(name)) problems.push(`${id} is ${name} instead of ${[...names].join(' or ')}`);
    }
    for (const [id, name] of stored) {
      if (!expected.has(id) && !unknownCreates.includes(name)) problems.push(`${id} is nobody's: ${name}`);
    }
    return problems;
  }

  #expected(): Expected {
    const expected: Expected = new Map();
    for (const { kind, mark, productId, outcome } of this.#entries) {
      if (!productId || outcome === 'refused') continue;
      const after = kind === 'deleted' ? null : mark;
      const before = outcome === 'unknown' ? (expected.get(productId) ?? []) : [];
      expected.set(productId, new Set([...before, after]));
    }
    return expected;
  }

  /** Returns the differences between the calls that a receiver of these kinds got and the writes that took place. */
  lostEvents(
    calls: readonly { body: string }[],
    stored: ReadonlyMap<string, string>,
    wantedKinds: readonly Kind[] = kinds,
  ): string[] {
    const idsByWrite = new Map<string, Set<string>>();
    for (const { id, type, data } of calls.map(({ body }) => JSON.parse(body))) {
      const write =
        type === 'product.deleted' ? `deleted ${data.product.id}` : `${type.slice(8)} ${data.product.name}`;
      idsByWrite.set(write, (idsByWrite.get(write) ?? new Set()).add(id));
    }
    const problems: string[] = [];
    const names = new Set(stored.values());
    for (const { kind, mark, productId, outcome } of this.#entries) {
      const write = `${kind} ${kind === 'deleted' ? productId : mark}`;
      const count = idsByWrite.get(write)?.size ?? 0;
      if (!wantedKinds.includes(kind) || (kind === 'deleted' && outcome === 'refused')) continue;
      idsByWrite.delete(write);
      // For an unanswered write, the store shows whether it took place.
      const tookPlace = kind === 'deleted' ? !stored.has(productId!) : names.has(mark);
      const wanted = outcome === 'answered' || (outcome === 'unknown' && tookPlace) ? 1 : 0;
      if (count !== wanted) problems.push(`${write} (${outcome}): ${count} events instead of ${wanted}`);
    }
    for (const write of idsByWrite.keys()) problems.push(`${write}: an event of no write`);
    return problems;
  }
}

/** Returns the name of every product of the store by its id. */
export async function readProducts(call: Caller): Promise<Map<string, string>> {
  const stored = new Map<string, string>();
  for (let offset = 0; ; offset += 200) {
    const { body } = await call('GET', `${products}?limit=200&offset=${offset}`);
    for (const { id, name } of body.products) stored.set(id, name);
    if (body.products.length < 200) return stored;
  }
}
