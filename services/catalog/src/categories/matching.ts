import { setImmediate } from 'node:timers/promises';
import { CategoryMembersChanged, type CategoryRule, storeLimits } from '@waybill/contracts';
import { readDefinitions } from '@waybill/custom-fields';
import type { ServiceContext } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Write } from '../config.ts';
import type { Tables } from '../tables.ts';
import {
  type ChangedProduct,
  type ChangePoint,
  claimDueRules,
  countRuleMembers,
  findChangedProducts,
  findDueStores,
  findRulesNaming,
  lockMatching,
  lowerPassesAt,
  readFacts,
  readFactsAfter,
  readRules,
  rematchRules,
  renewClaim,
  replaceMatches,
  saveCheckedUntil,
  saveCheckedUntilOfRange,
  saveRuleResults,
} from './match-queries.ts';
import {
  compileNextChange,
  compileRule,
  type FoldedTexts,
  hasCustomFieldConditions,
  indexDefinitions,
  type ProductFactsForRules,
  type RuleDefinitions,
} from './rules.ts';

type Context = Pick<ServiceContext<object, Tables>, 'db' | 'write'>;

export const matchRulesTask = 'match-rules';
export const matchChangedTask = 'match-changed-products';

/**
 * Maximum number of products that one transaction matches, and maximum number of comparisons of a product with a rule
 * in it.
 */
const maxStep = 1_000;
const maxComparisonsPerStep = 50_000;
/** Returns the number of products for one transaction: fewer for more rules, because a store may have 10,000 rules. */
const stepSize = (rules: number) =>
  Math.max(1, Math.min(maxStep, Math.floor(maxComparisonsPerStep / Math.max(1, rules))));
/** Number of comparisons after which the task yields to other work. */
const maxComparisonsPerTick = 5_000;
/** Shortest time between two scans of a rule that depends on time. `decisions.md 20.3` allows 30 seconds. */
const timedScanIntervalMs = 15_000;
/** Delay before a truncated rule is matched again, since the store's other rules may have fewer members by then. */
const truncatedRetryMs = 3_600_000;
/** Instants from this one on are not stored. */
const lastInstant = Date.UTC(9999, 0);
/**
 * Longest delay between the instant that a transaction writes and its commit: statements run for at most 15 seconds.
 */
const overlapMs = 20_000;
/** The delay that nearly all commits stay below. */
const shortOverlapMs = 2_000;
const saveProgressAfterMs = 10_000;
/** How long changed products are matched before failures are reported. */
const maxRunMs = 2_000;
/** Maximum number of stores whose rules are scanned at the same time, one step each in turn. */
const maxScans = 100;

/** A scan of all products of a store to find the members of some of its rules. */
interface Scan {
  storeId: string;
  ids: readonly string[];
  claimedUntil: Date;
  /** Id of the last product that was scanned. */
  after: string;
  /** The next instant at which time changes the members, by rule. */
  passesAt: Map<string, number>;
  /** The number of matching products, by rule. */
  members: Map<string, number>;
  /** The rules that lost members because the store reached its limit. */
  truncated: Set<string>;
}

/** Progress through a store's changes that need more than one read. */
interface ChangeScan {
  startedAt: Date;
  /** Whether the scan covers all changes since the stored instant, not only the latest ones. */
  isComplete: boolean;
  next: ChangePoint;
}

/**
 * Keeps the members of rules up to date. One task matches changed products and another scans for changed rules, so that
 * a changed product does not wait for scans.
 */
export class RuleMatcher {
  readonly #db: Context['db'];
  readonly #write: Context['write'];
  /**
   * `updatedAt` of each product when it was last matched. Reads of consecutive turns overlap, so the same change comes
   * twice.
   */
  readonly #checked = new LRUCache<string, number>({ max: 200_000 });
  readonly #scans = new Map<string, Scan>();
  readonly #changeScans = new Map<string, ChangeScan>();
  /** Stores with many changes: each turn reads only their latest changes, and the whole overlap now and then. */
  readonly #latestReads = new Map<string, { from: Date; completeAt: Date }>();
  /** The last store whose changes were read; the next read covers the stores after it. Empty at the start of a round. */
  #afterStore = '';

  constructor({ db, write }: Context) {
    this.#db = db;
    this.#write = write;
  }

  /** Matches the next products of a scan. Returns whether the scan is complete. */
  async #scanStep(scan: Scan): Promise<boolean> {
    const { storeId, claimedUntil } = scan;
    const step = await this.#write(async (write) => {
      const { trx } = write;
      await lockMatching(trx, storeId);
      // Reads the current rules. A concurrent change of a rule waits for this step, and then makes the rule due again.
      const stored = await readRules(trx, storeId, scan.ids);
      const rules = stored.filter(({ matchAt }) => matchAt?.getTime() === claimedUntil.getTime());
      if (rules.length === 0) return null;
      const limit = stepSize(rules.length);
      const products = await readFactsAfter(trx, storeId, scan.after, limit);
      const found = await matchRules(rules, products, await readRuleDefinitions(trx, storeId, rules));
      const truncated = await writeMatches(write, storeId, listIds(rules), listIds(products), found.matches);
      return { ids: listIds(rules), ...found, truncated, products, isLast: products.length < limit };
    });
    if (!step) return true;
    scan.ids = step.ids;
    for (const { categoryId } of step.matches)
      scan.members.set(categoryId, (scan.members.get(categoryId) ?? 0) + 1);
    for (const id of step.truncated) scan.truncated.add(id);
    for (const [id, at] of step.passesAt) scan.passesAt.set(id, Math.min(at, scan.passesAt.get(id) ?? at));
    scan.after = step.products.at(-1)?.id ?? scan.after;
    if (!step.isLast) {
      scan.claimedUntil = await renewClaim(this.#db, storeId, scan.ids, claimedUntil);
      return false;
    }
    const nextScanAt = Date.now() + timedScanIntervalMs;
    const scanned = scan.ids.map((id) => {
      const isTruncated = scan.truncated.has(id);
      const at = Math.min(
        scan.passesAt.get(id) ?? Number.POSITIVE_INFINITY,
        isTruncated ? Date.now() + truncatedRetryMs : Number.POSITIVE_INFINITY,
      );
      const passesAt = at === Number.POSITIVE_INFINITY ? null : new Date(Math.max(at, nextScanAt));
      return { id, passesAt, members: scan.members.get(id) ?? 0, isTruncated };
    });
    await saveRuleResults(this.#db, storeId, scanned, claimedUntil);
    return true;
  }

  /**
   * Scans the products of stores with due rules, one step per store in turn, so that no store waits for another store's
   * rules.
   */
  async scanRules(): Promise<boolean> {
    const now = new Date();
    const capacity = maxScans - this.#scans.size;
    const due = capacity > 0 ? await findDueStores(this.#db, now, [...this.#scans.keys()], capacity) : [];
    for (const storeId of due) {
      const claimed = await claimDueRules(this.#db, storeId, now);
      if (claimed.ids.length === 0) continue;
      const found = { passesAt: new Map(), members: new Map(), truncated: new Set<string>() };
      this.#scans.set(storeId, { storeId, ...claimed, after: '', ...found });
    }
    const failures: unknown[] = [];
    for (const scan of [...this.#scans.values()]) {
      try {
        if (await this.#scanStep(scan)) this.#scans.delete(scan.storeId);
      } catch (error) {
        // The rules become due again when the claim ends.
        this.#scans.delete(scan.storeId);
        failures.push(error);
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, `the rules of ${failures.length} stores could not be matched`);
    return this.#scans.size > 0;
  }

  /** Matches changed products of a store against all its rules, some of them in each transaction. */
  async #matchStore(storeId: string, products: readonly ChangedProduct[]): Promise<void> {
    for (let at = 0; at < products.length; ) {
      const step = await this.#write(async (write) => {
        const { trx } = write;
        await lockMatching(trx, storeId);
        const rules = await readRules(trx, storeId);
        const step = products.slice(at, at + stepSize(rules.length));
        await matchProducts(write, storeId, rules, listIds(step));
        return step;
      });
      for (const { id, updatedAt } of step) this.#checked.set(`${storeId} ${id}`, updatedAt.getTime());
      at += step.length;
    }
  }

  /** Stores how far a store's changes are matched, and where the next read begins. */
  async #saveProgress(storeId: string, startedAt: Date, next: ChangePoint | undefined): Promise<void> {
    const changeScan = this.#changeScans.get(storeId) ?? {
      startedAt,
      isComplete: !this.#latestReads.has(storeId),
    };
    if (next) {
      this.#changeScans.set(storeId, { ...changeScan, next });
      return;
    }
    this.#changeScans.delete(storeId);
    const known = this.#latestReads.get(storeId);
    if (changeScan.isComplete) await saveCheckedUntil(this.#db, storeId, changeScan.startedAt);
    const completeAt = changeScan.isComplete ? changeScan.startedAt : known!.completeAt;
    if (startedAt.getTime() - completeAt.getTime() > saveProgressAfterMs) this.#latestReads.delete(storeId);
    else this.#latestReads.set(storeId, { from: changeScan.startedAt, completeAt });
  }

  /**
   * Matches the products of one read of changes, except those of failed stores. Returns whether more changes follow.
   */
  async #matchNextChanges(failures: Map<string, unknown>): Promise<boolean> {
    const startedAt = new Date();
    const points = new Map<string, ChangePoint>();
    for (const [storeId, { from }] of this.#latestReads)
      points.set(storeId, { since: new Date(from.getTime() - shortOverlapMs), id: '' });
    for (const [storeId, { next }] of this.#changeScans) points.set(storeId, next);
    const above = this.#afterStore;
    const { byStore, upTo, next } = await findChangedProducts(this.#db, overlapMs, points, above);
    for (const [storeId, products] of byStore) {
      if (failures.has(storeId)) continue;
      const fresh = products.filter(
        ({ id, updatedAt }) => this.#checked.get(`${storeId} ${id}`) !== updatedAt.getTime(),
      );
      try {
        await this.#matchStore(storeId, fresh);
      } catch (error) {
        failures.set(storeId, error);
        this.#changeScans.delete(storeId);
        this.#latestReads.delete(storeId);
      }
    }
    const trackedStores = new Set([...points.keys(), ...next.keys()]);
    for (const storeId of trackedStores)
      if (!failures.has(storeId) && storeId > above && (upTo === null || storeId <= upTo))
        await this.#saveProgress(storeId, startedAt, next.get(storeId));
    const except = [...trackedStores, ...failures.keys()];
    await saveCheckedUntilOfRange(this.#db, startedAt, saveProgressAfterMs, { above, upTo, except });
    this.#afterStore = upTo ?? '';
    return upTo !== null || this.#changeScans.size > 0;
  }

  /** Matches the products that changed since the previous turn. A store that fails does not delay the others. */
  async matchChanged(): Promise<boolean> {
    const startedAt = Date.now();
    const failures = new Map<string, unknown>();
    let hasMore = true;
    while (hasMore && Date.now() - startedAt < maxRunMs) hasMore = await this.#matchNextChanges(failures);
    if (failures.size > 0)
      throw new AggregateError(
        failures.values(),
        `the changed products of ${failures.size} stores could not be matched`,
      );
    return hasMore;
  }
}

/**
 * Matches products that a manual category has gained or lost against the rules that name the category. Leaves large
 * numbers of products to the task that scans all products. Call `lockRulesNaming` before the change.
 */
export async function rematchProducts(
  write: Write,
  storeId: string,
  ruleIds: readonly string[],
  productIds: readonly string[],
): Promise<void> {
  if (ruleIds.length === 0 || productIds.length === 0) return;
  if (productIds.length > stepSize(ruleIds.length)) {
    await rematchRules(write.trx, storeId, ruleIds, new Date());
    return;
  }
  await matchProducts(write, storeId, await readRules(write.trx, storeId, ruleIds), productIds);
}

/** Lists the rules that name a category. If any exist, locks the members of the store's rules until the commit. */
export async function lockRulesNaming(
  trx: Transaction<Tables>,
  storeId: string,
  categoryId: string,
): Promise<string[]> {
  const ids = await findRulesNaming(trx, storeId, categoryId);
  if (ids.length > 0) await lockMatching(trx, storeId);
  return ids;
}

/** Matches the given products against the given rules, and stores the results. Call `lockMatching` before. */
async function matchProducts(
  write: Write,
  storeId: string,
  rules: Awaited<ReturnType<typeof readRules>>,
  productIds: readonly string[],
): Promise<void> {
  const { trx } = write;
  const facts = await readFacts(trx, storeId, productIds);
  const { matches, passesAt } = await matchRules(
    rules,
    facts,
    await readRuleDefinitions(trx, storeId, rules),
  );
  const truncated = await writeMatches(write, storeId, listIds(rules), productIds, matches);
  const later = Date.now() + truncatedRetryMs;
  for (const id of truncated) passesAt.set(id, Math.min(later, passesAt.get(id) ?? later));
  await lowerPassesAt(trx, storeId, passesAt);
}

const listIds = (items: readonly { id: string }[]) => items.map(({ id }) => id);

type Matched = Parameters<typeof replaceMatches>;

/**
 * Stores which products match which rules, up to the store's limit, and emits an event for the categories whose members
 * changed. Returns the rules that lost members to the limit. Call `lockMatching` before.
 */
async function writeMatches(
  { trx, emit }: Write,
  storeId: string,
  ruleIds: Matched[2],
  productIds: Matched[3],
  matches: Matched[4],
): Promise<string[]> {
  const used = matches.length > 0 ? await countRuleMembers(trx, storeId) : 0;
  const capacity = Math.max(0, storeLimits.ruleMembers - used);
  const matched = await replaceMatches(trx, storeId, ruleIds, productIds, matches, capacity);
  const changed = matched.filter(({ isChanged }) => isChanged);
  if (changed.length > 0) await emit(CategoryMembersChanged, storeId, { categoryIds: listIds(changed) });
  return listIds(matched.filter(({ isTruncated }) => isTruncated));
}

/** Reads the custom-field definitions that the given rules compare, or none if no rule names a custom field. */
async function readRuleDefinitions(
  trx: Transaction<Tables>,
  storeId: string,
  rules: readonly { rule: CategoryRule }[],
): Promise<RuleDefinitions> {
  const needsDefinitions = rules.some(({ rule }) => hasCustomFieldConditions(rule));
  return indexDefinitions(needsDefinitions ? await readDefinitions(trx, storeId, ['product']) : []);
}

/** Finds which products match which rules, and for each rule the next instant at which time changes its members. */
async function matchRules(
  rules: readonly { id: string; rule: CategoryRule }[],
  products: readonly ProductFactsForRules[],
  definitions: RuleDefinitions,
) {
  const now = Date.now();
  const matches: { categoryId: string; productId: string }[] = [];
  const passesAt = new Map<string, number>();
  const foldedTexts: FoldedTexts = new Map();
  let compared = 0;
  for (const { id, rule } of rules) {
    const matchesRule = compileRule(rule, now, definitions, foldedTexts);
    const findNextChange = compileNextChange(rule, now, definitions);
    let nextChange = lastInstant;
    for (const product of products) {
      const isMember = matchesRule(product);
      if (isMember) matches.push({ categoryId: id, productId: product.id });
      if (findNextChange) nextChange = Math.min(nextChange, findNextChange(product, isMember));
    }
    if (nextChange < lastInstant) passesAt.set(id, nextChange);
    compared += products.length + rule.conditions.length;
    if (compared < maxComparisonsPerTick) continue;
    compared = 0;
    await setImmediate();
  }
  return { matches, passesAt };
}
