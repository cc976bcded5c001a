import type { CategoryRule } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import { LRUCache } from 'lru-cache';
import type { Tables } from '../tables.ts';
import {
  type ClaimedRule,
  claimDueRules,
  findChangedProducts,
  finishRule,
  lockMatching,
  noteChecked,
  readFacts,
  readFactsAfter,
  readRules,
  renewClaim,
  replaceMatches,
} from './match-queries.ts';
import { compileRule, goesByTime, type ProductFactsForRules } from './rules.ts';

type Context = Pick<ServiceContext<object, Tables>, 'db' | 'transaction'>;

export const matchTask = 'match-categories';

/** So many products are compared with rules in one transaction, which so takes some milliseconds. */
const stepSize = 1_000;
/** What goes by the time is found anew so often: `decisions.md 20.3` allows 30 seconds. */
const byTimeMs = 15_000;
/** A transaction may commit so much after the instant that it writes: statements run for 15 seconds at most. */
const overlapMs = 20_000;
const noteAfterMs = 10_000;

/** Keeps the members of rules right: of rules that changed, and of products that changed. */
export function createMatching({ db, transaction }: Context) {
  // Products that were looked at, in the state of that instant: the overlap of two turns.
  const checked = new LRUCache<string, number>({ max: 200_000 });

  async function matchRule({ storeId, id, rule, ...claim }: ClaimedRule): Promise<void> {
    let after = '';
    let claimedUntil: Date | null = claim.claimedUntil;
    while (claimedUntil) {
      const last = await transaction(async (trx) => {
        await lockMatching(trx, storeId);
        // As it is now: who changes a rule waits for this step, and has all found anew.
        const [current] = await readRules(trx, storeId, [id]);
        if (!current) return null;
        const products = await readFactsAfter(trx, storeId, after, stepSize);
        await replaceMatches(trx, storeId, [id], productIdsOf(products), matchesOf([current], products));
        return products.at(-1)?.id ?? null;
      });
      if (last === null) break;
      after = last;
      claimedUntil = await renewClaim(db, storeId, id, claimedUntil);
    }
    const next = goesByTime(rule) ? new Date(Date.now() + byTimeMs) : null;
    if (claimedUntil) await finishRule(db, storeId, id, claimedUntil, next);
  }

  /** Matches the products that changed since the turn before; whether there were any. */
  async function matchChanged(): Promise<void> {
    const startedAt = new Date();
    const { changed, until } = await findChangedProducts(db, overlapMs, startedAt);
    const fresh = changed.filter(
      ({ storeId, id, updatedAt }) => checked.get(`${storeId} ${id}`) !== updatedAt.getTime(),
    );
    for (const [storeId, products] of Map.groupBy(fresh, (product) => product.storeId)) {
      for (let at = 0; at < products.length; at += stepSize) {
        const step = products.slice(at, at + stepSize);
        await transaction(async (trx) => {
          await lockMatching(trx, storeId);
          const rules = await readRules(trx, storeId);
          const ids = step.map(({ id }) => id);
          const facts = await readFacts(trx, storeId, ids);
          await replaceMatches(
            trx,
            storeId,
            rules.map(({ id }) => id),
            ids,
            matchesOf(rules, facts),
          );
        });
        for (const { id, updatedAt } of step) checked.set(`${storeId} ${id}`, updatedAt.getTime());
      }
    }
    await noteChecked(db, until, noteAfterMs);
  }

  return async (): Promise<boolean> => {
    const due = await claimDueRules(db, new Date());
    for (const rule of due) await matchRule(rule);
    await matchChanged();
    return due.length > 0;
  };
}

const productIdsOf = (products: readonly ProductFactsForRules[]) => products.map(({ id }) => id);

/** The pairs of a rule and a product for which it holds. */
function matchesOf(
  rules: readonly { id: string; rule: CategoryRule }[],
  products: readonly ProductFactsForRules[],
): { categoryId: string; productId: string }[] {
  const now = Date.now();
  return rules.flatMap(({ id, rule }) => {
    const holds = compileRule(rule, now);
    return products.flatMap((product) => (holds(product) ? { categoryId: id, productId: product.id } : []));
  });
}
