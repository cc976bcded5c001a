import { setTimeout as sleep } from 'node:timers/promises';
import { expectStatus } from '../testing/accounts.ts';
import type { Caller, Reply } from '../testing/client.ts';

const orders = '/api/v1/orders';
const variants = 3;
/** How often a shopper sends a checkout before giving up, and the pause in between. */
const tries = 4;
const pauseMs = 1_000;

/** A checkout that a shopper sent, repeatedly if necessary. Its key is also the name of its customer. */
interface Purchase {
  key: string;
  orderId: string | null;
  /** The shopper's knowledge: it was placed, it was refused, or nothing is known. */
  outcome: 'placed' | 'refused' | 'unknown';
  cancelled: 'no' | 'answered' | 'unknown';
}

interface StoredOrder {
  id: string;
  number: number;
  status: string;
  lineItems: { variantId: string; quantity: number }[];
  customer: { name: string };
}

/** Shoppers of a store whose stock runs out, and its merchant, who cancels some of their orders. */
export class Sales {
  readonly #purchases: Purchase[] = [];
  readonly #storeId: string;
  readonly #prefix: string;
  readonly #productId: string;
  readonly #variantIds: readonly string[];
  readonly #stockOfEach: number;

  private constructor(
    storeId: string,
    prefix: string,
    stockOfEach: number,
    product: { id: string; variants: { id: string }[] },
  ) {
    this.#storeId = storeId;
    this.#prefix = prefix;
    this.#stockOfEach = stockOfEach;
    this.#productId = product.id;
    this.#variantIds = product.variants.map(({ id }) => id);
  }

  /** Stocks each variant with this quantity. */
  static async open(storeId: string, prefix: string, stockOfEach: number, call: Caller): Promise<Sales> {
    const stock = Array.from({ length: variants }, () => ({ priceCents: 100, stock: stockOfEach }));
    const body = { name: 'Tea', status: 'active', variants: stock };
    return new Sales(
      storeId,
      prefix,
      stockOfEach,
      expectStatus(await call('POST', '/api/v1/products', body), 201).body.product,
    );
  }

  /** Returns the number of checkouts with an outcome. */
  count(outcome: Purchase['outcome']): number {
    return this.#purchases.filter((purchase) => purchase.outcome === outcome).length;
  }

  /** Buys and cancels until it is told to stop. One shopper in seven never asks twice. */
  async trade(shopper: Caller, merchant: Caller, isOver: () => boolean): Promise<void> {
    for (let i = 0; !isOver(); i++) {
      const purchase = await this.#buy(shopper, i, i % 7 === 3 ? 1 : tries);
      if (purchase.outcome === 'placed' && i % 4 === 0) await this.#cancel(merchant, purchase);
    }
  }

  async #buy(shopper: Caller, i: number, times: number): Promise<Purchase> {
    const key = `${this.#prefix}-${this.#purchases.length}`;
    const purchase: Purchase = { key, orderId: null, outcome: 'unknown', cancelled: 'no' };
    this.#purchases.push(purchase);
    const item = (nth: number, quantity: number) => ({
      variantId: this.#variantIds[nth % variants]!,
      quantity,
    });
    const items = i % 2 ? [item(i, 1 + (i % 3)), item(i + 1, 1)] : [item(i, 1 + (i % 3))];
    const body = { items, customer: { name: key, email: `${key}@example.com` } };
    const path = `/storefront/${this.#storeId}/orders`;
    const reply = await repeatUntilAnswered(times, () =>
      shopper('POST', path, body, { 'idempotency-key': key }),
    );
    if (!reply) return purchase;
    if (reply.status === 201) Object.assign(purchase, { outcome: 'placed', orderId: reply.body.order.id });
    else if (reply.body.code === 'out_of_stock') purchase.outcome = 'refused';
    else throw new Error(`unexpected ${reply.status}: ${reply.text}`);
    return purchase;
  }

  async #cancel(merchant: Caller, purchase: Purchase): Promise<void> {
    purchase.cancelled = 'unknown';
    const path = `${orders}/${purchase.orderId}`;
    const reply = await repeatUntilAnswered(tries, () => merchant('PATCH', path, { status: 'cancelled' }));
    if (!reply) return;
    if (reply.status !== 200) throw new Error(`unexpected ${reply.status}: ${reply.text}`);
    purchase.cancelled = 'answered';
  }

  /**
   * Returns the differences between the store and the answers to shoppers and merchant, and sums that do not add up.
   */
  async judge(call: Caller): Promise<string[]> {
    const stored = await readOrders(call);
    const problems = this.#purchases.flatMap((purchase) => judgePurchase(purchase, stored));
    const strangers = stored.filter(
      ({ customer }) => !this.#purchases.some(({ key }) => key === customer.name),
    );
    problems.push(...strangers.map(({ id }) => `${id} is nobody's order`));
    const numbers = stored.map(({ number }) => number).sort((a, b) => a - b);
    if (numbers.some((number, i) => number !== i + 1))
      problems.push(`the orders' numbers are ${numbers.join(' ')}`);
    const { total } = (await call('GET', '/api/v1/customers?limit=1')).body;
    if (total !== stored.length) problems.push(`${total} customers for ${stored.length} orders of one each`);
    problems.push(...(await this.#judgeStock(call, stored)));
    return problems;
  }

  async #judgeStock(call: Caller, stored: readonly StoredOrder[]): Promise<string[]> {
    const { product } = (await call('GET', `/api/v1/products/${this.#productId}`)).body;
    const problems: string[] = [];
    const lines = stored.filter(({ status }) => status !== 'cancelled').flatMap(({ lineItems }) => lineItems);
    let totalStock = 0;
    for (const { id, stock } of product.variants) {
      const own = lines.filter(({ variantId }) => variantId === id);
      const sold = own.reduce((sum, { quantity }) => sum + quantity, 0);
      totalStock += stock;
      if (stock < 0 || this.#stockOfEach - sold !== stock)
        problems.push(`${id}: ${this.#stockOfEach} at first, ${sold} sold, ${stock} left`);
    }
    if (product.totalStock !== totalStock)
      problems.push(`the total stock is ${product.totalStock}, not ${totalStock}`);
    return problems;
  }

  /**
   * Returns the differences between the calls that a receiver got and the existing orders: each change must be reported
   * under one event id.
   */
  async lostEvents(calls: readonly { body: string }[], call: Caller): Promise<string[]> {
    const eventIds = new Map<string, Set<string>>();
    for (const { id, type, data } of calls.map(({ body }) => JSON.parse(body))) {
      const about = `${type} ${(data.order?.customer ?? data.customer).name}`;
      eventIds.set(about, (eventIds.get(about) ?? new Set()).add(id));
    }
    const problems: string[] = [];
    for (const { status, customer } of await readOrders(call)) {
      const types = [
        'order.created',
        'customer.created',
        ...(status === 'cancelled' ? ['order.updated'] : []),
      ];
      for (const about of types.map((type) => `${type} ${customer.name}`)) {
        const count = eventIds.get(about)?.size ?? 0;
        if (count !== 1) problems.push(`${about}: ${count} events instead of 1`);
        eventIds.delete(about);
      }
    }
    for (const about of eventIds.keys()) problems.push(`${about}: an event of no change`);
    return problems;
  }
}

function judgePurchase(
  { key, orderId, outcome, cancelled }: Purchase,
  stored: readonly StoredOrder[],
): string[] {
  const own = stored.filter(({ customer }) => customer.name === key);
  const wanted = outcome === 'placed' ? [1] : outcome === 'refused' ? [0] : [0, 1];
  if (!wanted.includes(own.length)) return [`${key} (${outcome}): ${own.length} orders`];
  const [order] = own;
  if (!order) return [];
  if (orderId && order.id !== orderId) return [`${key} was told ${orderId} and has ${order.id}`];
  const isCancelled = order.status === 'cancelled';
  const isRight = cancelled === 'unknown' || isCancelled === (cancelled === 'answered');
  return isRight ? [] : [`${key}: cancelled ${cancelled}, but ${order.status}`];
}

async function readOrders(call: Caller): Promise<StoredOrder[]> {
  const stored: StoredOrder[] = [];
  for (;;) {
    const { body } = await call('GET', `${orders}?limit=200&dir=asc&offset=${stored.length}`);
    stored.push(...body.orders);
    if (body.orders.length < 200) return stored;
  }
}

/** Repeats a request until it gets an answer other than a server error. */
async function repeatUntilAnswered(times: number, ask: () => Promise<Reply>): Promise<Reply | null> {
  for (let i = 1; ; i++) {
    const reply = await ask().catch(() => null);
    if (reply && reply.status < 500) return reply;
    if (i >= times) return null;
    await sleep(pauseMs);
  }
}
