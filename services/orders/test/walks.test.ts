import { checkWalks } from '@waybill/testing';
import { sorts as customerSorts } from '../src/customers/routes.ts';
import { sorts as orderSorts } from '../src/orders/routes.ts';
import { newStore, type OrdersSystem, startOrders } from './stores.ts';

let system: OrdersSystem;
beforeAll(async () => {
  system = await startOrders();
});
afterAll(() => system.stop());

const listIds = (rows: { id: string }[]) => rows.map(({ id }) => id);
const inEvery = (sorts: readonly string[], filters: readonly string[]) =>
  sorts.flatMap((sort) =>
    ['asc', 'desc'].flatMap((dir) => filters.map((filter) => `sort=${sort}&dir=${dir}${filter}`)),
  );

test('paging through orders returns every unchanged one once', () =>
  checkWalks(
    async () => {
      const store = newStore(system);
      return {
        async page(query) {
          const { body } = await store.send('get', `orders?${query}`);
          return { ids: listIds(body.orders), nextCursor: body.nextCursor };
        },
        add: async (value) => (await store.order(value + 1)).id,
        change: (id, value) => store.patch(id, { payment: ['pending', 'authorized', 'failed'][value] }),
      };
    },
    inEvery(orderSorts, ['', '&payment=pending', '&q=ann', '&since=2020-01-01T00:00:00Z']),
  ));

let emails = 0;

test('paging through customers returns every unchanged one once', () =>
  checkWalks(
    async () => {
      const store = newStore(system);
      const createCustomer = (value: number) => ({
        name: `Ann ${value}`,
        email: `ann-${value}-${++emails}@example.com`,
      });
      return {
        async page(query) {
          const { body } = await store.send('get', `customers?${query}`);
          return { ids: listIds(body.customers), nextCursor: body.nextCursor };
        },
        add: async (value) => (await store.customer(createCustomer(value))).id,
        async remove(id) {
          await store.send('delete', `customers/${id}`);
        },
        change: (id, value) => store.send('put', `customers/${id}`, createCustomer(value)),
      };
    },
    inEvery(customerSorts, ['', '&q=ann']),
  ));
