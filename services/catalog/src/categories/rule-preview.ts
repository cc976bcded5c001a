import { setImmediate } from 'node:timers/promises';
import type { CategoryRule, Principal } from '@waybill/contracts';
import { readDefinitions } from '@waybill/custom-fields';
import { FairSemaphore } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { checkRule } from './categories.ts';
import { readFactsAfter, readPreviewed } from './match-queries.ts';
import type { PreviewedProduct } from './routes.ts';
import { compileRule, hasCustomFieldConditions, indexDefinitions, ruleProblems } from './rules.ts';

/** Number of products that are read and compared before the task yields to other work. */
const stepSize = 1_000;

/** Bounds concurrent previews, and lets stores take turns, because each preview reads all products of a store. */
const previews = new FairSemaphore({ concurrency: 2, maxWaiting: 20, maxPerKey: 4 });

/**
 * Finds the products that a category with this rule would contain, without storing anything. Returns their number and
 * the first of them.
 * @throws invalid_body for a rule that a category would not take, resource_unavailable
 */
export async function previewRule(
  db: Kysely<Tables>,
  storeId: string,
  principal: Principal,
  rule: CategoryRule,
  limit: number,
): Promise<{ products: PreviewedProduct[]; total: number }> {
  const details = ruleProblems(rule, '/rule');
  if (details.length > 0) throw errors.invalid_body({ details });
  await checkRule(db, storeId, { rule }, principal);
  const { ids, total } = await previews.run(storeId, () => matchAll(db, storeId, rule, limit));
  return { products: await readPreviewed(db, storeId, ids), total };
}

async function matchAll(
  db: Kysely<Tables>,
  storeId: string,
  rule: CategoryRule,
  limit: number,
): Promise<{ ids: string[]; total: number }> {
  const definitions = hasCustomFieldConditions(rule) ? await readDefinitions(db, storeId, ['product']) : [];
  const matchesRule = compileRule(rule, Date.now(), indexDefinitions(definitions));
  const ids: string[] = [];
  let total = 0;
  for (let after = ''; ; ) {
    const products = await readFactsAfter(db, storeId, after, stepSize);
    for (const product of products) {
      if (!matchesRule(product)) continue;
      total++;
      if (ids.length < limit) ids.push(product.id);
    }
    if (products.length < stepSize) return { ids, total };
    after = products.at(-1)!.id;
    await setImmediate();
  }
}
