/** A product as past orders refer to it. */
export interface SoldProduct {
  id: string;
  name: string;
  variants: { id: string; name: string; sku: string | null; priceCents: number }[];
}

const days = 90;
const dayMs = 86_400_000;

const first =
  'Ada Ben Clara David Emma Felix Greta Hugo Ida Jonas Klara Leo Mia Noah Olivia Paul Rosa Sam Tilda Vera'.split(
    ' ',
  );
const last =
  'Adler Brandt Castro Dubois Ekberg Fischer Garcia Hoffmann Ivers Jansen Keller Lind Moreau Novak Okafor Petrov Rossi Silva Torres Vogel'.split(
    ' ',
  );
const addresses = [
  ['Berlin', '10405', 'DE', 'Kastanienallee'],
  ['Hamburg', '20357', 'DE', 'Schulterblatt'],
  ['Wien', '1070', 'AT', 'Lindengasse'],
  ['Zürich', '8004', 'CH', 'Langstrasse'],
  ['Amsterdam', '1016 EA', 'NL', 'Prinsengracht'],
  ['Paris', '75011', 'FR', 'Rue Oberkampf'],
  ['London', 'E8 3AH', 'GB', 'Mare Street'],
] as const;

/** Returns numbers that look random and are the same each time. */
function chanceFrom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/**
 * Returns the state of an order: paid and sent, except for the last days and a few with another course. None waits for
 * a payment, so none expires.
 */
function chooseState(daysAgo: number, chance: (below: number) => number) {
  const luck = chance(100);
  if (luck < 4) return { status: 'cancelled', payment: 'voided', fulfillment: 'unfulfilled' };
  if (luck < 7 && daysAgo > 10) return { status: 'completed', payment: 'refunded', fulfillment: 'returned' };
  if (daysAgo <= 2)
    return { status: 'open', payment: luck < 30 ? 'authorized' : 'paid', fulfillment: 'unfulfilled' };
  if (daysAgo <= 4 && luck < 40)
    return { status: 'open', payment: 'paid', fulfillment: 'partially_fulfilled' };
  return { status: 'completed', payment: 'paid', fulfillment: 'fulfilled' };
}

/** Returns orders of the last ninety days, more of them recently and before weekends, by returning customers. */
export function pastOrders(products: readonly SoldProduct[], now: Date, currency: string) {
  const chance = chanceFrom(20_261_126);
  const customers = first.flatMap((name, i) =>
    [0, 7, 13].map((step) => {
      const surname = last[(i + step) % last.length]!;
      const [city, postalCode, country, street] = addresses[(i * 3 + step) % addresses.length]!;
      const full = `${name} ${surname}`;
      return {
        name: full,
        email: `${name}.${surname}@example.com`.toLowerCase(),
        shippingAddress: {
          name: full,
          line1: `${street} ${3 + ((i * 11 + step) % 90)}`,
          city,
          postalCode,
          country,
        },
      };
    }),
  );
  const orders = [];
  for (let daysAgo = days; daysAgo >= 0; daysAgo--) {
    const weekday = new Date(now.getTime() - daysAgo * dayMs).getUTCDay();
    const count = 1 + chance(2 + Math.floor((days - daysAgo) / 35)) + (weekday >= 4 ? 1 : 0);
    for (let i = 0; i < count; i++) {
      const at = now.getTime() - daysAgo * dayMs - chance(dayMs / 2);
      const lines = new Map<string, object>();
      for (let n = 0; n <= chance(3); n++) {
        const product = products[Math.floor((chance(1000) * chance(1000) * products.length) / 1_000_000)]!;
        const variant = product.variants[chance(product.variants.length)]!;
        const quantity = 1 + (chance(4) === 0 ? 1 : 0);
        lines.set(variant.id, {
          productId: product.id,
          variantId: variant.id,
          sku: variant.sku,
          name: product.name,
          variantName: variant.name,
          quantity,
          unitPriceCents: variant.priceCents,
          totalCents: variant.priceCents * quantity,
        });
      }
      orders.push({
        createdAt: new Date(at).toISOString(),
        ...chooseState(daysAgo, chance),
        currency,
        lineItems: [...lines.values()],
        customer: customers[Math.floor((chance(1000) * chance(1000) * customers.length) / 1_000_000)]!,
      });
    }
  }
  return orders;
}
