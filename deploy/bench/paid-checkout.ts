import { randomBytes } from 'node:crypto';
import { signIn } from '@waybill/example-app';
import { request } from 'undici';
import { type Load, load, together } from './load.ts';
import type { System } from './processes.ts';
import { sendJson } from './send-json.ts';

/** Numbers of concurrent shoppers: one alone, and as many as in `benchCheckout`. */
const shoppers = [1, 16];

/**
 * Measures checkouts through the shop's door that are paid at a provider. Each is answered with the address of the
 * provider's page, after the provider has created a session. Measures the same checkouts without a payment method, too.
 * The emulator behind `STRIPE_API_URL` answers at once; Stripe's own time has to be added.
 */
export async function benchPaidCheckout(system: System): Promise<void> {
  const { demo } = system;
  const variantId = await product(system);
  const merchant = await signIn(demo.baseUrl, demo.merchant);
  const methods = `/api/stores/${demo.storeId}/payment-methods`;
  const next = (paymentMethodId?: string) => ({
    method: 'POST' as const,
    path: `/storefront/${demo.storeId}/orders`,
    headers: { 'idempotency-key': randomBytes(12).toString('hex') },
    body: JSON.stringify({
      items: [{ variantId, quantity: 1 }],
      customer: {
        name: 'Ann',
        email: `ann-${randomBytes(2).toString('hex')}@example.com`,
        shippingAddress: { country: 'DE' },
      },
      ...(paymentMethodId && { paymentMethodId }),
    }),
  });
  const headers = { 'content-type': 'application/json' };
  const pay = (paymentMethodId: string) => async () => {
    const { path, body, headers: own, method } = next(paymentMethodId);
    const reply = await request(`${demo.baseUrl}${path}`, { method, body, headers: { ...headers, ...own } });
    const answer = (await reply.body.json()) as { payment?: { redirectUrl: string | null } };
    // Without a session the shopper would have to wait, so this checkout does not count.
    if (!answer.payment?.redirectUrl) throw new Error(`${reply.statusCode} ${JSON.stringify(answer)}`);
  };
  const rows: [string, number, Load][] = [];
  // The first round warms up.
  for (const seconds of [8, 10]) {
    rows.length = 0;
    for (const connections of shoppers)
      rows.push(['without', connections, await load(demo.baseUrl, headers, next, { connections, seconds })]);
    const { paymentMethod } = await merchant.post<{ paymentMethod: { id: string } }>(methods, {
      provider: 'stripe',
      name: 'Card',
      secretKey: 'sk_test_51Bench',
      isEnabled: true,
    });
    for (const connections of shoppers)
      rows.push(['paid', connections, await together(pay(paymentMethod.id), { connections, seconds })]);
    await merchant.delete(`${methods}/${paymentMethod.id}`);
  }
  console.log('checkout, at the shop’s door   at a time   req/s    p50 ms    p95 ms    p99 ms');
  for (const [what, connections, { perSecond, p50, p95, p99 }] of rows) {
    const name = what === 'paid' ? 'with a session to pay in' : 'without a payment';
    const figures = [p50, p95, p99].map((ms) => ms.toFixed(1).padStart(9)).join(' ');
    console.log(
      `${name.padEnd(30)} ${String(connections).padStart(9)} ${perSecond.toFixed(1).padStart(7)} ${figures}`,
    );
  }
}

async function product({ demo }: System): Promise<string> {
  const created = await sendJson(demo.baseUrl, demo.apiKey, 'POST', '/api/v1/products', {
    name: 'To pay for',
    status: 'active',
    variants: [{ priceCents: 1250, stock: 1_000_000_000 }],
  });
  return created.product.variants[0].id;
}
