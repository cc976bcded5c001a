import { setImmediate } from 'node:timers/promises';
import { CategoryMembersChanged, type CategoryRule } from '@waybill/contracts';
import { readDefinitions } from '@waybill/custom-fields';
import { emit, type ServiceContext } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Tables } from '../tables.ts';
import {
  type ChangedProduct,
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
import {
  compileRule,
  goesByTime,
  namesCustomFields,
  type ProductFactsForRules,
  type RuleDefinitions,
  ruleDefinitions,
} from './rules.ts';

type Context = Pick<ServiceContext<object, Tables>, 'db' | 'transaction'>;

export const matchRulesTask = 'match-rules';
export const matchChangedTask = 'match-changed-products';

/** So many products at most are compared with rules in one transaction, and so often a product with a rule. */
const maxStep = 1_000;
const comparedAtOnce = 50_000;
/** A store may have 10,000 rules: the more there are, the fewer products a transaction looks at. */
const stepSize = (rules: number) =>
  Math.max(1, Math.min(maxStep, Math.floor(comparedAtOnce / Math.max(1, rules))));
/** After so many comparisons others have a turn. */
const comparedInTurn = 5_000;
/** What goes by the time is found anew so often: `decisions.md 20.3` allows 30 seconds. */
const byTimeMs = 15_000;
/** A transaction may commit so much after the instant that it writes: statements run for 15 seconds at most. */
const overlapMs = 20_000;
const noteAfterMs = 10_000;

/**
 * Keeps the members of rules right: of products that changed, and of rules that changed. Each has a task of its own, so
 * that a product does not wait for the scans of rules.
 */
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
        const products = await readFactsAfter(trx, storeId, after, maxStep);
        const definitions = await definitionsFor(trx, storeId, [current]);
        const matches = await matchesOf([current], products, definitions);
        await writeMatches(trx, storeId, [id], idsOf(products), matches);
        return products.at(-1)?.id ?? null;
      });
      if (last === null) break;
      after = last;
      claimedUntil = await renewClaim(db, storeId, id, claimedUntil);
    }
    const next = goesByTime(rule) ? new Date(Date.now() + byTimeMs) : null;
    if (claimedUntil) await finishRule(db, storeId, id, claimedUntil, next);
  }

  async function matchStore(storeId: string, products: readonly ChangedProduct[]): Promise<void> {
    for (let at = 0; at < products.length; ) {
      const step = await transaction(async (trx) => {
        await lockMatching(trx, storeId);
        const rules = await readRules(trx, storeId);
        const step = products.slice(at, at + stepSize(rules.length));
        const ids = idsOf(step);
        const facts = await readFacts(trx, storeId, ids);
        const matches = await matchesOf(rules, facts, await definitionsFor(trx, storeId, rules));
        await writeMatches(trx, storeId, idsOf(rules), ids, matches);
        return step;
      });
      for (const { id, updatedAt } of step) checked.set(`${storeId} ${id}`, updatedAt.getTime());
      at += step.length;
    }
  }

  /** Matches the products that changed since the turn before. A store that fails keeps no other one waiting. */
  async function matchChanged(): Promise<void> {
    const startedAt = new Date();
    const { changed, until } = await findChangedProducts(db, overlapMs, startedAt);
    const fresh = changed.filter(
      ({ storeId, id, updatedAt }) => checked.get(`${storeId} ${id}`) !== updatedAt.getTime(),
    );
    const failures = new Map<string, unknown>();
    for (const [storeId, products] of Map.groupBy(fresh, (product) => product.storeId)) {
      try {
        await matchStore(storeId, products);
      } catch (error) {
        failures.set(storeId, error);
      }
    }
    await noteChecked(db, until, noteAfterMs, [...failures.keys()]);
    if (failures.size > 0)
      throw new AggregateError(
        failures.values(),
        `${failures.size} stores' changed products are not matched`,
      );
  }

  async function matchRules(): Promise<boolean> {
    const due = await claimDueRules(db, new Date());
    const failures: unknown[] = [];
    // One that fails is tried again when its claim has ended, and keeps no other one waiting.
    for (const rule of due) await matchRule(rule).catch((error) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} rules are not matched`);
    return due.length > 0;
  }

  return { matchChanged, matchRules };
}

const idsOf = (products: readonly { id: string }[]) => products.map(({ id }) => id);

/** Writes what products match, and says which categories contain others than before. */
async function writeMatches(...[trx, storeId, ...matched]: Parameters<typeof replaceMatches>): Promise<void> {
  const categoryIds = await replaceMatches(trx, storeId, ...matched);
  if (categoryIds.length > 0) await emit(trx, CategoryMembersChanged, storeId, { categoryIds });
}

/** The definitions that these rules compare by; most compare by none. */
async function definitionsFor(
  trx: Transaction<Tables>,
  storeId: string,
  rules: readonly { rule: CategoryRule }[],
): Promise<RuleDefinitions> {
  const isNeeded = rules.some(({ rule }) => namesCustomFields(rule));
  return ruleDefinitions(isNeeded ? await readDefinitions(trx, storeId, ['product']) : []);
}

/** The pairs of a rule and a product for which it holds. */
async function matchesOf(
  rules: readonly { id: string; rule: CategoryRule }[],
  products: readonly ProductFactsForRules[],
  definitions: RuleDefinitions,
): Promise<{ categoryId: string; productId: string }[]> {
  const now = Date.now();
  const matches: { categoryId: string; productId: string }[] = [];
  let compared = 0;
  for (const { id, rule } of rules) {
    const holds = compileRule(rule, now, definitions);
    for (const product of products)
      if (holds(product)) matches.push({ categoryId: id, productId: product.id });
    compared += products.length + rule.conditions.length;
    if (compared < comparedInTurn) continue;
    compared = 0;
    await setImmediate();
  }
  return matches;
}
