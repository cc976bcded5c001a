import { newId, type Reservation } from '@waybill/contracts';
import { eventually, keptConnections, openTestDatabase, waitUntilBlocked } from '@waybill/testing';
import { sql, type Transaction } from 'kysely';
import request from 'supertest';
import type { ProductState, VariantState } from '../src/products/fields.ts';
import { lockProduct, replaceVariants } from '../src/products/queries.ts';
import type { Tables } from '../src/tables.ts';
import { newStore, system, useCatalog } from './stores.ts';

useCatalog();

type Item = { variantId: string; quantity: number };

/** Reserves stock as the orders service does. */
async function reserve(storeId: string, orderId: string, items: Item[]): Promise<Reservation> {
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const { body } = await request(system.internalUrl)
    .post('/internal/reservations')
    .agent(keptConnections)
    .set('authorization', `Bearer ${system.serviceToken}`)
    .send({ storeId, orderId, expiresAt, items });
  return body;
}

const one = (variantId: string): Item[] => [{ variantId, quantity: 1 }];

interface About {
  storeId: string;
  orderId: string;
  product: ProductState;
  variant: VariantState;
}

/**
 * Creates a cup with a stock of one, and orders it while a concurrent transaction changes it. Returns the outcome and
 * the stock that is left.
 */
async function orderDuring(change: (trx: Transaction<Tables>, about: About) => Promise<unknown>) {
  const store = newStore();
  const { id, variants } = await store.create({
    name: 'Cup',
    status: 'active',
    variants: [{ priceCents: 300, stock: 1 }],
  });
  const url = system.databaseUrl('catalog');
  const db = await openTestDatabase<Tables>(url);
  const orderId = newId('order');
  let ordered: Promise<Reservation> | undefined;
  try {
    await db.transaction().execute(async (trx) => {
      const product = (await lockProduct(trx, store.storeId, id))!;
      ordered = reserve(store.storeId, orderId, one(variants[0].id));
      await waitUntilBlocked(url, 'variant');
      await change(trx, { storeId: store.storeId, orderId, product, variant: product.variants[0]! });
    });
  } finally {
    await db.destroy();
  }
  const reservation = (await ordered)!;
  return { reservation, left: (await store.get(`/${id}`)).body.product.variants[0]?.stock };
}

describe('an order that waits for a product', () => {
  test('finds its variant even if the product was replaced in the meantime', async () => {
    const { reservation, left } = await orderDuring((trx, { storeId, product, variant }) =>
      replaceVariants(
        trx,
        storeId,
        product.id,
        [variant.id],
        [{ position: 1, variant: { ...variant, priceCents: 350, stock: 5 } }],
      ),
    );
    expect(reservation).toMatchObject({ outcome: 'reserved', lines: [{ unitPriceCents: 350 }] });
    expect(left).toBe(4);
  });

  test('is refused if it was overtaken, or the product was deleted', async () => {
    const quicker = await orderDuring((trx, { variant }) =>
      trx.updateTable('variant').set({ stock: 0 }).where('id', '=', variant.id).execute(),
    );
    expect(quicker).toMatchObject({ reservation: { outcome: 'out_of_stock' }, left: 0 });
    const gone = await orderDuring((trx, { variant }) =>
      trx.deleteFrom('variant').where('id', '=', variant.id).execute(),
    );
    expect(gone.reservation).toMatchObject({ outcome: 'refused' });
  });

  test('reserves nothing more if another replica has reserved its stock', async () => {
    const lines = [{ name: 'As the other copy had it' }];
    const { reservation, left } = await orderDuring((trx, { storeId, orderId }) =>
      sql`insert into reservation (store_id, order_id, lines, expires_at)
        values (${storeId}, ${orderId}, ${JSON.stringify(lines)}, now() + interval '1 minute')`.execute(trx),
    );
    expect(reservation).toMatchObject({ outcome: 'reserved', lines, facts: [{ taxCategory: 'standard' }] });
    expect(left).toBe(1);
  });

  test('has its reservation where another copy has taken the last for it meanwhile', async () => {
    const lines = [{ name: 'As the other copy had it' }];
    const { reservation, left } = await orderDuring(async (trx, { storeId, orderId, variant }) => {
      await trx.updateTable('variant').set({ stock: 0 }).where('id', '=', variant.id).execute();
      await sql`insert into reservation (store_id, order_id, lines, expires_at)
        values (${storeId}, ${orderId}, ${JSON.stringify(lines)}, now() + interval '1 minute')`.execute(trx);
    });
    expect(reservation).toMatchObject({ outcome: 'reserved', lines, facts: [{ taxCategory: 'standard' }] });
    expect(left).toBe(0);
  });
});

test('of many simultaneous orders each gets its units, and the last event of each product has the final stock', async () => {
  const store = newStore();
  const product = (name: string) =>
    store.create({
      name,
      status: 'active',
      variants: ['S', 'M'].map((size) => ({ name: size, priceCents: 300, stock: 100 })),
    });
  const [cup, pot, lid] = [await product('Cup'), await product('Pot'), await product('Lid')];
  const items = [cup.variants[0], cup.variants[1], pot.variants[1]].map(({ id }: { id: string }, i) => ({
    variantId: id,
    quantity: i + 1,
  }));
  const placed = await Promise.all(
    Array.from({ length: 30 }, () => reserve(store.storeId, newId('order'), items)),
  );
  expect(new Set(placed.map(({ outcome }) => outcome))).toEqual(new Set(['reserved']));
  const read = async ({ id }: { id: string }) => (await store.get(`/${id}`)).body;
  const [newCup, newPot] = [await read(cup), await read(pot)];
  const stocks = ({ product: { variants, totalStock } }: typeof newCup) => [
    ...variants.map(({ stock }: { stock: number }) => stock),
    totalStock,
  ];
  expect([stocks(newCup), stocks(newPot)]).toEqual([
    [70, 40, 110],
    [100, 10, 110],
  ]);
  expect(await read(lid)).toEqual({ product: lid });
  const updates = () => store.events().filter(({ name }) => name === 'catalog.product.updated');
  const findLastUpdate = (id: string) =>
    updates()
      .map(({ data }) => data as typeof newCup)
      .filter(({ product }) => product.id === id)
      .sort((a, b) => (a.product.updatedAt < b.product.updatedAt ? -1 : 1))
      .at(-1);
  await eventually(() => findLastUpdate(cup.id)?.product.totalStock === 110);
  await eventually(() => findLastUpdate(pot.id)?.product.totalStock === 110);
  expect([findLastUpdate(cup.id), findLastUpdate(pot.id), findLastUpdate(lid.id)]).toEqual([
    newCup,
    newPot,
    undefined,
  ]);
});

test('a variant that no product of the store has is refused, and nothing is taken with it', async () => {
  const [store, other] = [newStore(), newStore()];
  const tea = { name: 'Tea', status: 'active', variants: [{ priceCents: 100, stock: 3 }] };
  const [ours, theirs] = [await store.create(tea), await other.create(tea)];
  for (const variantId of [theirs.variants[0].id, newId('variant')]) {
    const items = [...one(ours.variants[0].id), ...one(variantId)];
    expect(await reserve(store.storeId, newId('order'), items)).toMatchObject({
      outcome: 'refused',
      problems: [{ variantId }],
    });
  }
  expect((await store.get(`/${ours.id}`)).body.product.totalStock).toBe(3);
});
