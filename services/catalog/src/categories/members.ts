import { type Category, CategoryMembersChanged } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import type { Write } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { toCategory } from './categories.ts';
import { findRulesNaming, rematchRules } from './match-queries.ts';
import { lockRulesNaming, rematchProducts } from './matching.ts';
import {
  addMembers,
  findUnknownProducts,
  lockMembers,
  readMembers,
  recordMembersChanged,
  removeMembers,
  setMembers,
} from './member-queries.ts';
import { findCategory } from './queries.ts';
import { type CategoryProductsChange, maxMembers } from './routes.ts';

type Trx = Transaction<Tables>;

/**
 * Replaces all products of a manual category by the given ones, in this order.
 * @throws not_found for an unknown category or product, invalid_state for a category with a rule
 */
export const setProducts = (
  write: Write,
  storeId: string,
  id: string,
  productIds: readonly string[],
): Promise<Category> =>
  changeMembers(write, storeId, id, null, async (trx) => {
    const unique = [...new Set(productIds)];
    await checkProductsExist(trx, storeId, unique, '/productIds');
    await setMembers(trx, storeId, id, unique);
  });

/**
 * Removes products from a manual category, and appends others.
 * @throws not_found for an unknown category or a product to add; invalid_state; invalid_body for too many
 */
export const changeProducts = (
  write: Write,
  storeId: string,
  id: string,
  { add = [], remove = [] }: CategoryProductsChange,
): Promise<Category> => {
  const unique = [...new Set(add)];
  return changeMembers(write, storeId, id, [...unique, ...remove], async (trx) => {
    await checkProductsExist(trx, storeId, unique, '/add');
    if (remove.length > 0) await removeMembers(trx, storeId, id, remove);
    if (unique.length > 0 && (await addMembers(trx, storeId, id, unique)) > maxMembers) {
      const message = `makes more than ${maxMembers} products`;
      throw errors.invalid_body({ details: [{ pointer: '/add', message }] });
    }
  });
};

/**
 * Changes the members of a manual category. `productIds` lists the products that may be added or removed; null means
 * any.
 */
async function changeMembers(
  write: Write,
  storeId: string,
  id: string,
  productIds: readonly string[] | null,
  work: (trx: Trx) => Promise<void>,
): Promise<Category> {
  const { trx, emit } = write;
  // Matching takes these two locks in the same order, which avoids deadlocks.
  const ruleIds = await lockRulesNaming(trx, storeId, id);
  const kind = await lockMembers(trx, storeId, id);
  if (kind === null) throw errors.not_found();
  if (kind !== 'manual')
    throw errors.invalid_state({ message: 'A rule determines what this category contains.' });
  const before = new Set(await readMembers(trx, storeId, id, productIds));
  await work(trx);
  const after = new Set(await readMembers(trx, storeId, id, productIds));
  await recordMembersChanged(trx, storeId, id);
  await emit(CategoryMembersChanged, storeId, { categoryIds: [id] });
  const changed = [...before.values(), ...after.values()].filter(
    (each) => before.has(each) !== after.has(each),
  );
  await rematchProducts(write, storeId, ruleIds, changed);
  // A rule may have been added after the first lock and before the category's lock; it is matched again here.
  const unlockedRules = (await findRulesNaming(trx, storeId, id)).filter((each) => !ruleIds.includes(each));
  if (changed.length > 0) await rematchRules(trx, storeId, unlockedRules, new Date());
  return toCategory((await findCategory(trx, storeId, id))!);
}

async function checkProductsExist(
  trx: Trx,
  storeId: string,
  productIds: readonly string[],
  pointer: string,
): Promise<void> {
  const unknown = new Set(await findUnknownProducts(trx, storeId, productIds));
  if (unknown.size === 0) return;
  const details = productIds.flatMap((id, i) =>
    unknown.has(id) ? [{ pointer: `${pointer}/${i}`, message: 'is not a product of this store' }] : [],
  );
  throw errors.not_found({ message: 'This product does not exist.', details: details.slice(0, 100) });
}
