import { ApiError, newId } from '@waybill/contracts';
import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { toAddress } from '../customers/customers.ts';
import { customerColumns } from '../customers/queries.ts';
import { errors } from '../errors.ts';
import { findEmails, insertPastCustomers, insertPastOrders, reserveNumbers } from './queries.ts';
import type { PastOrder, routes } from './routes.ts';

const isSpent = ({ payment }: PastOrder) => payment === 'paid' || payment === 'partially_refunded';
const sumLines = ({ lineItems }: PastOrder) => lineItems.reduce((sum, { totalCents }) => sum + totalCents, 0);

/** Returns the different customers of the given orders, with the totals of their orders. */
function listCustomers(orders: readonly PastOrder[]) {
  const byEmail = new Map<string, PastOrder[]>();
  for (const order of orders) {
    const { email } = order.customer;
    byEmail.set(email, [...(byEmail.get(email) ?? []), order]);
  }
  return [...byEmail].map(([email, own]) => {
    const [{ customer, createdAt }] = own as [PastOrder];
    const { name, shippingAddress } = customer;
    return {
      id: newId('customer'),
      email,
      name,
      ...customerColumns({ name, email, phone: null }),
      addresses: [toAddress(shippingAddress)],
      orders_count: own.filter(({ status }) => status !== 'cancelled').length,
      total_spent_cents: own.filter(isSpent).reduce((sum, order) => sum + sumLines(order), 0),
      created_at: createdAt,
    };
  });
}

/** Adds all past orders to a store that has none, oldest first, or none of them. Returns their number. */
function addPastOrders(
  { transaction }: Context,
  storeId: string,
  pastOrders: readonly PastOrder[],
): Promise<number> {
  const orders = [...pastOrders].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  const customers = listCustomers(orders);
  return transaction(async (trx) => {
    const counts = { orders: orders.length, customers: customers.length };
    const before = await reserveNumbers(trx, storeId, counts);
    if (before === null) return 0;
    const emails = customers.map(({ email }) => email);
    // A customer with one of these addresses exists, so the store is in use and stays unchanged.
    if ((await findEmails(trx, storeId, emails)).size > 0) throw errors.duplicate_email();
    const idByEmail = new Map(customers.map(({ id, email }) => [email, id]));
    await insertPastCustomers(trx, storeId, customers);
    const rows = orders.map((order) => ({
      id: newId('order'),
      status: order.status,
      payment: order.payment,
      fulfillment: order.fulfillment,
      currency: order.currency,
      line_items: order.lineItems,
      total_cents: sumLines(order),
      customer_id: idByEmail.get(order.customer.email)!,
      customer_name: order.customer.name,
      customer_email: order.customer.email,
      shipping_address: toAddress(order.customer.shippingAddress),
      created_at: order.createdAt,
    }));
    await insertPastOrders(trx, storeId, rows, before);
    return orders.length;
  });
}

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async addPastOrders({ body: { storeId, orders } }) {
    if (!context.config.isMakingDemo) throw errors.not_found();
    try {
      return { added: await addPastOrders(context, storeId, orders) };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'duplicate_email') return { added: 0 };
      throw error;
    }
  },
});
