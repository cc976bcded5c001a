import { type Permission, type Role, rolePermissions } from '@waybill/contracts';
import { type Log, type Peers, type SearchHits, withTimeout } from '@waybill/kernel';
import { type Found, searchTypes } from './routes.ts';

type Type = (typeof searchTypes)[number];

/** The service that searches each type, and the permission to read it. */
const parts: Readonly<Record<Type, { service: string; path: string; permission: Permission }>> = {
  product: { service: 'catalog', path: '/internal/products/search', permission: 'products.read' },
  order: { service: 'orders', path: '/internal/orders/search', permission: 'orders.read' },
  customer: { service: 'orders', path: '/internal/customers/search', permission: 'customers.read' },
  page: { service: 'content', path: '/internal/pages/search', permission: 'pages.read' },
  article: { service: 'content', path: '/internal/articles/search', permission: 'blog.read' },
  media: { service: 'media', path: '/internal/assets/search', permission: 'media.read' },
};

/** Time limit for each part, so that a slow one does not delay the others. */
const deadlineMs = 1_000;

/**
 * Searches all parts that the role may read at the same time. Parts that fail or exceed the time limit are listed in
 * `unavailable`.
 */
export async function searchEverything(
  peers: Peers,
  log: Log,
  storeId: string,
  role: Role,
  q: string,
): Promise<Found> {
  async function searchHits(type: Type): Promise<Found['hits'] | null> {
    const { service, path } = parts[type];
    if (!peers.has(service)) return null;
    try {
      const found = await withTimeout(
        peers.call<SearchHits>(service, 'POST', path, { storeId, q }),
        deadlineMs,
      );
      return found ? found.hits.map((hit) => ({ type, ...hit })) : null;
    } catch (err) {
      log.warn({ err, service, type }, 'a service did not answer a search; its results are missing');
      return null;
    }
  }

  const requestedTypes = searchTypes.filter((type) => rolePermissions[role].includes(parts[type].permission));
  const answers = await Promise.all(requestedTypes.map(searchHits));
  const unavailable = requestedTypes.filter((_, i) => answers[i] === null);
  return {
    hits: answers.flatMap((hits) => hits ?? []),
    ...(unavailable.length > 0 && { unavailable }),
  };
}
