import {
  type CategoryRule,
  type CustomFieldState,
  type CustomFieldValues,
  customFieldName,
  customFieldPrefix,
  foldText,
  idPattern,
  kindOfCustomFieldType,
  kindOfRuleField,
  operationsOfKind,
  type Problem,
  type RuleCondition,
  type RuleField,
  type RuleOperation,
  type RuleValueKind,
  ruleFields,
} from '@waybill/contracts';
import { parseInstant } from '@waybill/kernel';

/** The fields of a product that rules compare. */
export interface ProductFactsForRules {
  id: string;
  name: string;
  vendor: string;
  tags: readonly string[];
  priceCents: number | null;
  stock: number;
  createdAt: Date;
  /** The manual categories that contain it. */
  categoryIds: readonly string[];
  /** Values by the ids of their definitions. */
  customFields: CustomFieldValues;
}

/** The definitions of products' custom fields, by key. */
export type RuleDefinitions = ReadonlyMap<string, Pick<CustomFieldState, 'id' | 'type'>>;

/** Indexes definitions by the names that conditions use. */
export const indexDefinitions = (definitions: readonly CustomFieldState[]): RuleDefinitions =>
  new Map(definitions.map((definition) => [customFieldName(definition), definition]));

type Field = RuleField;
type Operation = RuleOperation;
type Kind = RuleValueKind;

interface ComparedField {
  kind: Kind;
  values: (product: ProductFactsForRules) => readonly unknown[];
}

/** For each field, a function that returns a product's values: none, one or several. */
const readersByField: Readonly<Record<Field, ComparedField['values']>> = {
  tag: ({ tags }) => tags,
  name: ({ name }) => [name],
  vendor: ({ vendor }) => (vendor === '' ? [] : [vendor]),
  priceCents: ({ priceCents }) => (priceCents === null ? [] : [priceCents]),
  stock: ({ stock }) => [stock],
  createdAt: ({ createdAt }) => [createdAt.getTime()],
  category: ({ categoryIds }) => categoryIds,
};

/** A cache of the folded texts of products by field, because many rules compare the same texts. */
export type FoldedTexts = Map<ProductFactsForRules, Record<string, readonly string[]>>;

/** Returns the custom field that a condition names; null if it does not exist. */
function findCustomField(name: string, definitions: RuleDefinitions): ComparedField | null {
  if (!name.startsWith(customFieldPrefix)) return null;
  const definition = definitions.get(name.slice(customFieldPrefix.length));
  if (!definition) return null;
  const kind = kindOfCustomFieldType[definition.type];
  return {
    kind,
    values({ customFields }) {
      const value = customFields[definition.id];
      if (value === undefined) return [];
      if (kind === 'time') return [readInstant(String(value))];
      return Array.isArray(value) ? value : [value];
    },
  };
}

/** Finds the field that a condition names. */
const findComparedField = (name: string, definitions: RuleDefinitions): ComparedField | null =>
  isField(name)
    ? { kind: kindOfRuleField[name], values: readersByField[name] }
    : findCustomField(name, definitions);

const isField = (name: string): name is Field => ruleFields.includes(name as Field);
const dayMs = 86_400_000;
const maxDays = 36_500;
const maxText = 200;
const categoryId = new RegExp(idPattern('category'));

/**
 * Lists the problems of a rule, with pointers below `pointer`: `decisions.md 20.3`. Does not check whether its
 * categories and custom fields exist.
 */
export const ruleProblems = ({ conditions }: CategoryRule, pointer: string): Problem[] =>
  conditions.flatMap((condition, i): Problem[] => {
    const { field } = condition;
    const at = `${pointer}/conditions/${i}`;
    if (field.startsWith(customFieldPrefix)) return [];
    if (isField(field)) return conditionProblems(condition, kindOfRuleField[field], at);
    const message = `must be one of ${ruleFields.join(', ')}, or ${customFieldPrefix}<key>`;
    return [{ pointer: `${at}/field`, message }];
  });

/** A condition and its position in the rule. */
type PlacedCondition = RuleCondition & { index: number };

/**
 * Lists the conditions of a rule that it did not have before. Those that it has stay when their category or custom field
 * is deleted or hidden, so that the rest of the rule can still be changed.
 */
export function listNewConditions(
  { conditions }: CategoryRule,
  before: CategoryRule | null,
): PlacedCondition[] {
  const known = new Set((before?.conditions ?? []).map(createConditionKey));
  return conditions.flatMap((condition, index) =>
    known.has(createConditionKey(condition)) ? [] : { ...condition, index },
  );
}

/** Lists the problems of conditions on custom fields, given the existing definitions. */
export const customFieldProblems = (
  conditions: readonly PlacedCondition[],
  pointer: string,
  definitions: RuleDefinitions,
): Problem[] =>
  conditions.flatMap((condition): Problem[] => {
    if (!condition.field.startsWith(customFieldPrefix)) return [];
    const at = `${pointer}/conditions/${condition.index}`;
    const known = findCustomField(condition.field, definitions);
    return known
      ? conditionProblems(condition, known.kind, at)
      : [{ pointer: `${at}/field`, message: unknownFieldMessage }];
  });

/**
 * Reports conditions on custom fields that the principal may not see as unknown fields: otherwise a rule would let it
 * guess a hidden value letter by letter.
 */
export const hiddenFieldProblems = (
  conditions: readonly PlacedCondition[],
  pointer: string,
  visible: RuleDefinitions,
): Problem[] =>
  conditions.flatMap(({ field, index }): Problem[] =>
    !field.startsWith(customFieldPrefix) || visible.has(field.slice(customFieldPrefix.length))
      ? []
      : [{ pointer: `${pointer}/conditions/${index}/field`, message: unknownFieldMessage }],
  );

const unknownFieldMessage = 'is not a custom field of products';
const createConditionKey = ({ field, op, value }: RuleCondition) => JSON.stringify([field, op, value]);

/** Whether a rule has conditions on custom fields. */
export const hasCustomFieldConditions = ({ conditions }: Pick<CategoryRule, 'conditions'>): boolean =>
  conditions.some(({ field }) => field.startsWith(customFieldPrefix));

function conditionProblems({ op, value }: RuleCondition, kind: Kind, at: string): Problem[] {
  const problemAt = (name: string, message: string) => [{ pointer: `${at}/${name}`, message }];
  const allowedOps: readonly Operation[] = operationsOfKind[kind];
  if (!allowedOps.includes(op))
    return problemAt('op', `does not fit the field, which takes ${operationsOfKind[kind].join(', ')}`);
  const requireValue = (isValid: boolean, message: string) => (isValid ? [] : problemAt('value', message));
  if (op === 'within')
    return requireValue(
      typeof value === 'number' && value > 0 && value <= maxDays,
      `must be a number of days, above 0 and at most ${maxDays}`,
    );
  const isText = typeof value === 'string' && value !== '' && value.length <= maxText;
  const checks: Readonly<Record<Kind, () => Problem[]>> = {
    number: () => requireValue(Number.isSafeInteger(value), 'must be a whole number'),
    decimal: () => requireValue(typeof value === 'number', 'must be a number'),
    boolean: () => requireValue(typeof value === 'boolean', 'must be true or false'),
    instant: () =>
      requireValue(typeof value === 'string' && readInstant(value) !== null, 'must be an instant'),
    time: () =>
      requireValue(typeof value === 'string' && readInstant(value) !== null, 'must be an instant or a date'),
    category: () =>
      requireValue(typeof value === 'string' && categoryId.test(value), 'must be the id of a category'),
    id: () => requireValue(isText, 'must be an id'),
    text: () => requireValue(isText, `must be a text of 1 to ${maxText} characters`),
  };
  return checks[kind]();
}

/** Lists the categories that a rule names. */
export const listRuleCategories = ({ conditions }: CategoryRule): string[] =>
  conditions.flatMap(({ field, value }) => (field === 'category' ? [String(value)] : []));

/**
 * Compiles a rule into a function that finds when time may next change whether a product matches, given whether it
 * matches at `now`. Its results are milliseconds since 1970; infinity means never. Returns null if the rule does not
 * depend on time. A member can only be removed by the end of a condition, and any other product only be added by the
 * beginning of one.
 */
export function compileNextChange(
  { conditions }: CategoryRule,
  now: number,
  definitions: RuleDefinitions = new Map(),
): ((product: ProductFactsForRules, isMember: boolean) => number) | null {
  const periods = conditions.flatMap(({ field, op, value }) => {
    const compared = op === 'within' ? findComparedField(field, definitions) : null;
    return compared ? [{ ...compared, durationMs: Number(value) * dayMs }] : [];
  });
  if (periods.length === 0) return null;
  return (product, isMember) => {
    let next = Number.POSITIVE_INFINITY;
    for (const { kind, values, durationMs } of periods)
      for (const each of values(product)) {
        if (each === null || isAhead(kind, Number(each), now) === isMember) continue;
        // A condition still holds in its last millisecond.
        const change = isMember ? Number(each) + durationMs + 1 : Number(each);
        if (change > now && change < next) next = change;
      }
    return next;
  };
}

/**
 * Whether a custom field's instant is in the future. The instant at which a product was created never counts as such,
 * although another server's clock may be ahead.
 */
const isAhead = (kind: Kind, instant: number, now: number) => kind === 'time' && instant > now;

/**
 * Compiles a rule into a test that can be applied to many products, as of an instant. Rules that are compiled with the
 * same `foldedTexts` fold each text of a product only once.
 */
export function compileRule(
  { match, conditions }: CategoryRule,
  now: number,
  definitions: RuleDefinitions = new Map(),
  foldedTexts: FoldedTexts = new Map(),
): (product: ProductFactsForRules) => boolean {
  const tests = conditions.map((condition) => compileCondition(condition, now, definitions, foldedTexts));
  return match === 'all'
    ? (product) => tests.every((test) => test(product))
    : (product) => tests.some((test) => test(product));
}

function compileCondition(
  { field, op, value }: RuleCondition,
  now: number,
  definitions: RuleDefinitions,
  foldedTexts: FoldedTexts,
): (product: ProductFactsForRules) => boolean {
  const compared = findComparedField(field, definitions);
  // The field comes from a later version, or its definition was deleted: no product has a value for it.
  if (!compared) return () => op === 'isNot';
  const { kind, values } = compared;
  const anyValue = (test: (each: never) => boolean) => (product: ProductFactsForRules) =>
    values(product).some((each) => test(each as never));
  const isTime = kind === 'instant' || kind === 'time';
  const limit = isTime
    ? op === 'within'
      ? now - Number(value) * dayMs
      : readInstant(String(value))!
    : Number(value);
  const text = kind === 'text' ? foldText(String(value)) : '';
  const equal: unknown = isTime ? limit : value;
  const anyText = (test: (each: string) => boolean) => (product: ProductFactsForRules) =>
    foldValues(foldedTexts, product, field, compared).some(test);
  const compiled: Readonly<Record<Operation, (product: ProductFactsForRules) => boolean>> = {
    is: anyValue((each: unknown) => each === equal),
    isNot: (product) => !values(product).includes(equal),
    contains: anyText((each) => each.includes(text)),
    startsWith: anyText((each) => each.startsWith(text)),
    above: anyValue((each: number) => each > limit),
    below: anyValue((each: number) => each < limit),
    within: anyValue((each: number) => each >= limit && !isAhead(kind, each, now)),
  };
  return compiled[op];
}

/** Returns a product's texts in a field without case and accents, from the cache if another rule compared them before. */
function foldValues(
  foldedTexts: FoldedTexts,
  product: ProductFactsForRules,
  field: string,
  { values }: ComparedField,
): readonly string[] {
  let known = foldedTexts.get(product);
  if (!known) {
    known = {};
    foldedTexts.set(product, known);
  }
  known[field] ??= values(product).map((each) => foldText(String(each)));
  return known[field];
}

const readInstant = (text: string): number | null => parseInstant(text)?.getTime() ?? null;
