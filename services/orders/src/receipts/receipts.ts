import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { isSecret, readToken } from '../tokens/tokens.ts';
import { findReceipt } from './queries.ts';

/**
 * Returns the JSON that the customer of an order sees, by the order's token.
 * @throws not_found
 */
export async function readReceipt(
  db: Context['db'],
  storeId: string,
  token: string,
  options: { withAddress?: boolean } = {},
): Promise<{ orderId: string; json: string }> {
  const parsedToken = readToken('order', token);
  const found = parsedToken && (await findReceipt(db, storeId, parsedToken.id, options));
  if (!found || !isSecret(found, parsedToken.secret))
    throw errors.not_found({ message: 'This order does not exist.' });
  return { orderId: parsedToken.id, json: found.json };
}

/**
 * Returns the id of the order that a token belongs to.
 * @throws not_found
 */
export const findOrderId = async (db: Context['db'], storeId: string, token: string): Promise<string> =>
  (await readReceipt(db, storeId, token)).orderId;
