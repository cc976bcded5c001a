import {
  type Category,
  CategoryCreated,
  CategoryDeleted,
  type CategoryRule,
  type CategorySort,
  CategoryUpdated,
  findFreeSlug,
  newId,
  type Principal,
  type Problem,
  storeLimits,
} from '@waybill/contracts';
import {
  applyChange,
  isVisibleTo,
  noChange,
  readDefinitions,
  requireValues,
  type WithFields,
} from '@waybill/custom-fields';
import { sanitiseHtml } from '@waybill/html';
import { emitAll, violatedConstraint } from '@waybill/kernel';
import { deriveSlug } from '@waybill/slugs';
import type { Kysely, Transaction } from 'kysely';
import type { Write } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { countRuleMembers } from './match-queries.ts';
import { lockRulesNaming, rematchProducts } from './matching.ts';
import { lockMembers, readMembers } from './member-queries.ts';
import {
  type CategoryRead,
  type CategoryState,
  deleteCategoryRow,
  findCategories,
  findCategory,
  findExistingSlugs,
  insertCategory,
  lockCategoryKinds,
  lockTree,
  readTree,
  type TreeNode,
  updateCategory,
  updateCategoryPositions,
} from './queries.ts';
import type { CategoryInput, CategoryPatch } from './routes.ts';
import {
  customFieldProblems,
  hasCustomFieldConditions,
  hiddenFieldProblems,
  indexDefinitions,
  listNewConditions,
  listRuleCategories,
  ruleProblems,
} from './rules.ts';

type Trx = Transaction<Tables>;

const maxLevels = 8;

/** Converts a category to the shape that the API and events use. */
export const toCategory = (category: CategoryRead): Category => ({
  id: category.id,
  name: category.name,
  slug: category.slug,
  description: category.description,
  parentId: category.parentId,
  position: category.position,
  imageMediaId: category.imageMediaId,
  kind: category.kind,
  rule: category.rule,
  sort: category.sort,
  seo: category.seo,
  customFields: JSON.parse(category.shownFields),
  productsCount: category.productsCount,
  truncated: category.truncated,
  createdAt: category.createdAt.toISOString(),
  updatedAt: category.updatedAt.toISOString(),
});

/**
 * Creates a category under its parent and emits `category.created`.
 * @throws not_found for an unknown parent; duplicate_slug, too_many_categories, too_many_rule_members, invalid_body
 */
export function createCategory(
  write: Write,
  storeId: string,
  principal: Principal,
  input: WithFields<CategoryInput>,
): Promise<Category> {
  requireValues(input.fields ?? noChange);
  const { trx, emit } = write;
  return changeTree(write, storeId, async (now, count) => {
    if (count >= storeLimits.categories) throw errors.too_many_categories();
    const id = newId('category', now.getTime());
    const slug = input.slug ?? (await deriveFreeSlug(trx, storeId, id, input.name));
    const state = composeCategory({ ...input, slug }, { id, kind: input.kind ?? 'manual' });
    await checkRule(trx, storeId, state, principal);
    await checkRuleMembers(trx, storeId, state);
    const tree = new Tree(await readTree(trx, storeId));
    tree.checkParent(id, state.parentId);
    const position = tree.moveTo(id, state.parentId, input.position);
    await insertCategory(trx, storeId, { ...state, position }, now);
    await updateCategoryPositions(trx, storeId, tree.moved(), now);
    const category = toCategory((await findCategory(trx, storeId, id))!);
    await emit(CategoryCreated, storeId, { category });
    return category;
  });
}

/**
 * Changes a category and keeps the fields that the patch omits. Emits `category.updated` if anything changed.
 * @throws not_found for an unknown category or parent; duplicate_slug, cycle_detected, too_many_rule_members,
 * invalid_body
 */
export function changeCategory(
  write: Write,
  storeId: string,
  principal: Principal,
  id: string,
  { kind, position, rule, ...patch }: WithFields<CategoryPatch>,
): Promise<Category> {
  const { trx, emit } = write;
  return changeTree(write, storeId, async (now) => {
    const current = await findCategory(trx, storeId, id);
    if (!current) throw errors.not_found();
    if (kind !== undefined && kind !== current.kind)
      throw errors.invalid_body({ details: [{ pointer: '/kind', message: 'cannot change' }] });
    const next = composeCategory(
      {
        ...current,
        ...patch,
        slug: patch.slug ?? current.slug,
        ...(rule !== undefined && { rule: rule && ({ ...current.rule, ...rule } as CategoryRule) }),
        sort: { ...current.sort, ...patch.sort },
        seo: { ...current.seo, ...patch.seo },
      },
      { id, kind: current.kind, customFields: current.customFields },
    );
    const isRuleChanged = JSON.stringify(next.rule) !== JSON.stringify(current.rule);
    if (isRuleChanged) await checkRule(trx, storeId, next, principal, current.rule);
    // A truncated rule may always be changed, because the change may make it match fewer products.
    if (isRuleChanged && !current.truncated) await checkRuleMembers(trx, storeId, next);
    const isMoved =
      next.parentId !== current.parentId || (position !== undefined && position !== current.position);
    next.position = current.position;
    let moved: TreeNode[] = [];
    if (isMoved) {
      const tree = new Tree(await readTree(trx, storeId));
      if (next.parentId !== current.parentId) tree.checkParent(id, next.parentId);
      next.position = tree.moveTo(id, next.parentId, position);
      moved = tree.moved();
    }
    if (isSameCategory(current, next)) return toCategory(current);
    await updateCategory(trx, storeId, next, now, isRuleChanged);
    await updateCategoryPositions(
      trx,
      storeId,
      moved.filter((node) => node.id !== id),
      now,
    );
    const category = toCategory((await findCategory(trx, storeId, id))!);
    await emit(CategoryUpdated, storeId, { category });
    return category;
  });
}

/**
 * Deletes a category and moves its children up into its place. Emits `category.deleted`, and `category.updated` for
 * each child.
 * @throws not_found
 */
export function deleteCategory(write: Write, storeId: string, id: string): Promise<void> {
  const { trx, emit } = write;
  return changeTree(write, storeId, async (now) => {
    const current = await findCategory(trx, storeId, id);
    if (!current) throw errors.not_found();
    const isNamable = current.kind === 'manual';
    const ruleIds = isNamable ? await lockRulesNaming(trx, storeId, id) : [];
    // The lock lets a change of the category's members run before or after the deletion, never during it.
    await lockMembers(trx, storeId, id);
    const members = ruleIds.length > 0 ? await readMembers(trx, storeId, id) : [];
    const tree = new Tree(await readTree(trx, storeId));
    const children = tree.remove(id);
    await deleteCategoryRow(trx, storeId, current);
    await updateCategoryPositions(trx, storeId, tree.moved(), now);
    await rematchProducts(write, storeId, ruleIds, members);
    await emit(CategoryDeleted, storeId, { category: toCategory(current) });
    const moved = await findCategories(trx, storeId, children);
    await emitAll(
      trx,
      CategoryUpdated,
      moved.map((child) => ({ storeId, data: { category: toCategory(child) } })),
    );
  });
}

/** Runs `work` while holding the lock of the store's tree, and passes it the number of categories. */
async function changeTree<Result>(
  { trx }: Write,
  storeId: string,
  work: (now: Date, count: number) => Promise<Result>,
): Promise<Result> {
  try {
    const now = new Date();
    return await work(now, await lockTree(trx, storeId, now));
  } catch (error) {
    if (violatedConstraint(error) === 'category_slug_key') throw errors.duplicate_slug();
    throw error;
  }
}

/** A store's category tree that tracks the moves made in it. */
class Tree {
  readonly #nodes: Map<string, TreeNode>;
  readonly #before: ReadonlyMap<string, TreeNode>;

  constructor(nodes: readonly TreeNode[]) {
    this.#before = new Map(nodes.map((node) => [node.id, node]));
    this.#nodes = new Map(nodes.map((node) => [node.id, { ...node }]));
  }

  /**
   * Checks that a category can be placed under a parent.
   * @throws not_found, cycle_detected; invalid_body for too many levels
   */
  checkParent(id: string, parentId: string | null): void {
    let levels = 0;
    // The limit ends the loop even if the stored data somehow contains a cycle.
    for (let at = parentId; at !== null && levels <= maxLevels; at = this.#nodes.get(at)!.parentId) {
      if (at === id) throw errors.cycle_detected();
      if (!this.#nodes.has(at)) throw errors.not_found({ message: 'This parent does not exist.' });
      levels++;
    }
    if (levels > maxLevels || levels + this.#countLevels(id) > maxLevels) {
      const message = `makes a tree of more than ${maxLevels} levels`;
      throw errors.invalid_body({ details: [{ pointer: '/parentId', message }] });
    }
  }

  /** Returns the number of levels from a category down. Stops counting at one more than the limit. */
  #countLevels(id: string): number {
    let level = [id];
    for (let levels = 0; ; levels++) {
      if (level.length === 0 || levels > maxLevels) return levels;
      const parents = new Set(level);
      level = [...this.#nodes.values()].flatMap((node) =>
        node.parentId !== null && parents.has(node.parentId) ? node.id : [],
      );
    }
  }

  /** Puts a category under a parent, at the given position or at the end. Returns the position. */
  moveTo(id: string, parentId: string | null, position?: number): number {
    const present = this.#nodes.get(id);
    const others = this.#listChildren(parentId).filter((node) => node.id !== id);
    if (present && present.parentId !== parentId)
      this.#number(this.#listChildren(present.parentId).filter((node) => node.id !== id));
    const node = present ?? { id, parentId, position: 0 };
    const end = others.length;
    const target = Math.min(position ?? (present?.parentId === parentId ? present.position : end), end);
    node.parentId = parentId;
    this.#nodes.set(id, node);
    others.splice(target, 0, node);
    this.#number(others);
    return target;
  }

  /** Removes a category and puts its children in its place. Returns their ids. */
  remove(id: string): string[] {
    const { parentId, position } = this.#nodes.get(id)!;
    const children = this.#listChildren(id);
    const siblings = this.#listChildren(parentId).filter((node) => node.id !== id);
    this.#nodes.delete(id);
    for (const child of children) child.parentId = parentId;
    siblings.splice(position, 0, ...children);
    this.#number(siblings);
    return children.map((child) => child.id);
  }

  /** Returns the nodes whose parent or position changed, without new nodes. */
  moved(): TreeNode[] {
    return [...this.#nodes.values()].filter((node) => {
      const before = this.#before.get(node.id);
      return before && (before.parentId !== node.parentId || before.position !== node.position);
    });
  }

  #listChildren(parentId: string | null): TreeNode[] {
    return [...this.#nodes.values()]
      .filter((node) => node.parentId === parentId)
      .sort((one, other) => one.position - other.position);
  }

  #number(siblings: readonly TreeNode[]): void {
    for (const [i, node] of siblings.entries()) node.position = i;
  }
}

type CategoryFields = WithFields<Omit<CategoryPatch, 'kind' | 'rule' | 'sort' | 'seo' | 'customFields'>> & {
  slug: string;
  rule?: CategoryRule | null;
  sort?: Partial<CategorySort>;
  seo?: Partial<CategoryState['seo']>;
};

/**
 * Builds a category from the given fields, without its position.
 * @throws invalid_body
 */
function composeCategory(
  {
    name = '',
    slug,
    description = '',
    parentId = null,
    imageMediaId = null,
    rule = null,
    sort,
    seo = {},
    fields = noChange,
  }: CategoryFields,
  { id, kind, customFields = {} }: Pick<CategoryState, 'id' | 'kind'> & Partial<CategoryState>,
): CategoryState {
  const problems: Problem[] = [];
  if (kind === 'rule' && rule === null)
    problems.push({ pointer: '/rule', message: 'is required where the kind is "rule"' });
  if (kind === 'manual' && rule !== null)
    problems.push({ pointer: '/rule', message: 'must be null where the kind is "manual"' });
  if (kind === 'rule' && sort?.by === 'manual')
    problems.push({ pointer: '/sort/by', message: 'cannot be "manual" where the kind is "rule"' });
  if (kind === 'rule' && rule !== null) problems.push(...ruleProblems(rule, '/rule'));
  if (problems.length > 0) throw errors.invalid_body({ details: problems });
  const { title = '', description: seoDescription = '', imageMediaId: seoImage = null } = seo;
  return {
    id,
    name,
    slug,
    description: sanitiseHtml(description),
    parentId,
    position: 0,
    imageMediaId,
    kind,
    rule: rule && composeRule(rule),
    // The keys are in the order in which they are stored.
    sort: { by: sort?.by ?? (kind === 'manual' ? 'manual' : 'name'), dir: sort?.dir ?? 'asc' },
    seo: { title, description: seoDescription, imageMediaId: seoImage },
    customFields: applyChange(customFields, fields),
  };
}

/**
 * Refuses a rule when the store's rule categories already contain the maximum number of products.
 * @throws too_many_rule_members
 */
async function checkRuleMembers(
  trx: Trx,
  storeId: string,
  { rule }: Pick<CategoryState, 'rule'>,
): Promise<void> {
  if (rule && (await countRuleMembers(trx, storeId)) >= storeLimits.ruleMembers)
    throw errors.too_many_rule_members();
}

/** Copies a rule without unknown properties. */
const composeRule = ({ match, conditions }: CategoryRule): CategoryRule => ({
  match,
  conditions: conditions.map(({ field, op, value }) => ({ field, op, value })),
});

/**
 * Checks the categories and custom fields that the conditions of a rule name, but for those that it had before.
 * @throws invalid_body for a category that is not manual or not the store's, or an unknown custom field
 */
export async function checkRule(
  db: Kysely<Tables>,
  storeId: string,
  { rule }: Pick<CategoryState, 'rule'>,
  principal: Principal,
  before: CategoryRule | null = null,
): Promise<void> {
  const kinds = await lockCategoryKinds(db, storeId, rule ? listRuleCategories(rule) : []);
  const added = rule ? listNewConditions(rule, before) : [];
  const details = added.flatMap(({ field, value, index }): Problem[] =>
    field !== 'category' || kinds.get(String(value)) === 'manual'
      ? []
      : [{ pointer: `/rule/conditions/${index}/value`, message: 'is not a manual category of this store' }],
  );
  if (hasCustomFieldConditions({ conditions: added })) {
    const definitions = await readDefinitions(db, storeId, ['product']);
    const visible = definitions.filter((definition) => isVisibleTo(principal, definition));
    const hidden = hiddenFieldProblems(added, '/rule', indexDefinitions(visible));
    const fieldProblems = customFieldProblems(added, '/rule', indexDefinitions(definitions));
    // An error about a hidden field would reveal that the field exists, so only the "unknown field" error is reported.
    const reportedPaths = hidden.map(({ pointer }) => pointer.slice(0, pointer.lastIndexOf('/') + 1));
    details.push(
      ...hidden,
      ...fieldProblems.filter(({ pointer }) => !reportedPaths.some((at) => pointer.startsWith(at))),
    );
  }
  if (details.length > 0) throw errors.invalid_body({ details });
}

/** The fields that a change compares, to find out whether it changes anything. */
const comparedFields = [
  'name',
  'slug',
  'description',
  'parentId',
  'position',
  'imageMediaId',
  'rule',
  'sort',
  'seo',
  'customFields',
] as const satisfies readonly (keyof CategoryState)[];

function isSameCategory(current: CategoryRead, next: CategoryState): boolean {
  const toComparable = (category: CategoryState) =>
    JSON.stringify(comparedFields.map((field) => category[field]));
  return toComparable(current) === toComparable(next);
}

const deriveFreeSlug = (trx: Trx, storeId: string, id: string, name: string): Promise<string> =>
  findFreeSlug(deriveSlug(name, id.slice(id.indexOf('_') + 1)), (candidates) =>
    findExistingSlugs(trx, storeId, candidates),
  );
