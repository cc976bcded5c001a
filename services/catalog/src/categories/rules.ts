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

/** What a rule looks at of a product. */
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
  /** By the ids of their definitions. */
  customFields: CustomFieldValues;
}

/** The definitions of products' custom fields, by the key of their values. */
export type RuleDefinitions = ReadonlyMap<string, Pick<CustomFieldState, 'id' | 'type'>>;

export const ruleDefinitions = (definitions: readonly CustomFieldState[]): RuleDefinitions =>
  new Map(definitions.map((definition) => [customFieldName(definition), definition]));

type Field = RuleField;
type Operation = RuleOperation;
type Kind = RuleValueKind;

interface ComparedField {
  kind: Kind;
  values: (product: ProductFactsForRules) => readonly unknown[];
}

/** Each field's values of a product: none, one or several. */
const valuesOf: Readonly<Record<Field, ComparedField['values']>> = {
  tag: ({ tags }) => tags,
  name: ({ name }) => [name],
  vendor: ({ vendor }) => (vendor === '' ? [] : [vendor]),
  priceCents: ({ priceCents }) => (priceCents === null ? [] : [priceCents]),
  stock: ({ stock }) => [stock],
  createdAt: ({ createdAt }) => [createdAt.getTime()],
  category: ({ categoryIds }) => categoryIds,
};

/** A custom field that a condition names; null: there is none. */
function customField(name: string, definitions: RuleDefinitions): ComparedField | null {
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
  isField(name) ? { kind: kindOfRuleField[name], values: valuesOf[name] } : customField(name, definitions);

const isField = (name: string): name is Field => ruleFields.includes(name as Field);
const dayMs = 86_400_000;
const maxDays = 36_500;
const maxText = 200;
const categoryId = new RegExp(idPattern('category'));

/**
 * What is wrong with a rule, at pointers below `pointer`: `decisions.md 20.3`. Whether its categories and custom fields are
 * there is not looked at.
 */
export const ruleProblems = ({ conditions }: CategoryRule, pointer: string): Problem[] =>
  conditions.flatMap((condition, i): Problem[] => {
    const { field } = condition;
    const at = `${pointer}/conditions/${i}`;
    if (field.startsWith(customFieldPrefix)) return [];
    if (isField(field)) return conditionProblems(condition, kindOfRuleField[field], at);
    const message = `is none of ${ruleFields.join(', ')}, ${customFieldPrefix}<key>`;
    return [{ pointer: `${at}/field`, message }];
  });

/** What is wrong with the conditions of a rule on custom fields, by the definitions there are. */
export const customFieldProblems = (
  { conditions }: CategoryRule,
  pointer: string,
  definitions: RuleDefinitions,
): Problem[] =>
  conditions.flatMap((condition, i): Problem[] => {
    if (!condition.field.startsWith(customFieldPrefix)) return [];
    const at = `${pointer}/conditions/${i}`;
    const known = customField(condition.field, definitions);
    return known
      ? conditionProblems(condition, known.kind, at)
      : [{ pointer: `${at}/field`, message: noCustomField }];
  });

/**
 * Hides definitions from rules: what a principal does not see is no custom field to it, or a rule would tell its values
 * letter by letter. Conditions that the rule has already stay.
 */
export function hiddenFieldProblems(
  { conditions }: CategoryRule,
  before: CategoryRule | null,
  pointer: string,
  visible: RuleDefinitions,
): Problem[] {
  const known = new Set((before?.conditions ?? []).map(keyOfCondition));
  return conditions.flatMap((condition, i): Problem[] => {
    if (!condition.field.startsWith(customFieldPrefix) || known.has(keyOfCondition(condition))) return [];
    if (visible.has(condition.field.slice(customFieldPrefix.length))) return [];
    return [{ pointer: `${pointer}/conditions/${i}/field`, message: noCustomField }];
  });
}

const noCustomField = 'is no custom field of products';
const keyOfCondition = ({ field, op, value }: RuleCondition) => JSON.stringify([field, op, value]);

/** Whether a rule has conditions on custom fields. */
export const namesCustomFields = ({ conditions }: CategoryRule): boolean =>
  conditions.some(({ field }) => field.startsWith(customFieldPrefix));

function conditionProblems({ op, value }: RuleCondition, kind: Kind, at: string): Problem[] {
  const refuse = (name: string, message: string) => [{ pointer: `${at}/${name}`, message }];
  const fitting: readonly Operation[] = operationsOfKind[kind];
  if (!fitting.includes(op))
    return refuse('op', `does not fit the field: it takes ${operationsOfKind[kind].join(', ')}`);
  const unless = (isRight: boolean, message: string) => (isRight ? [] : refuse('value', message));
  if (op === 'within')
    return unless(
      typeof value === 'number' && value > 0 && value <= maxDays,
      `must be a number of days, above 0 and at most ${maxDays}`,
    );
  const isText = typeof value === 'string' && value !== '' && value.length <= maxText;
  const checks: Readonly<Record<Kind, () => Problem[]>> = {
    number: () => unless(Number.isSafeInteger(value), 'must be a whole number'),
    decimal: () => unless(typeof value === 'number', 'must be a number'),
    boolean: () => unless(typeof value === 'boolean', 'must be true or false'),
    instant: () => unless(typeof value === 'string' && readInstant(value) !== null, 'must be an instant'),
    time: () =>
      unless(typeof value === 'string' && readInstant(value) !== null, 'must be an instant or a date'),
    category: () =>
      unless(typeof value === 'string' && categoryId.test(value), 'must be the id of a category'),
    id: () => unless(isText, 'must be an id'),
    text: () => unless(isText, `must be a text of 1 to ${maxText} characters`),
  };
  return checks[kind]();
}

/** The categories that a rule names, and where. */
export const categoriesOfRule = ({ conditions }: CategoryRule): { id: string; index: number }[] =>
  conditions.flatMap(({ field, value }, index) =>
    field === 'category' ? [{ id: String(value), index }] : [],
  );

/**
 * Finds when time ends the first condition of a rule that holds for a product, as of an instant; null where the rule does
 * not go by time. Time ends conditions and begins none, so who is no member needs no look.
 */
export function compilePasses(
  { conditions }: CategoryRule,
  now: number,
  definitions: RuleDefinitions = new Map(),
): ((product: ProductFactsForRules) => number) | null {
  const ends = conditions.flatMap(({ field, op, value }) => {
    const compared = op === 'within' ? findComparedField(field, definitions) : null;
    return compared ? [{ values: compared.values, lastsMs: Number(value) * dayMs }] : [];
  });
  if (ends.length === 0) return null;
  return (product) => {
    let first = Number.POSITIVE_INFINITY;
    for (const { values, lastsMs } of ends)
      for (const each of values(product)) {
        // The condition still holds in its last millisecond.
        const end = Number(each) + lastsMs + 1;
        if (each !== null && end > now && end < first) first = end;
      }
    return first;
  };
}

/** Reads a rule once for many products, as of an instant. */
export function compileRule(
  { match, conditions }: CategoryRule,
  now: number,
  definitions: RuleDefinitions = new Map(),
): (product: ProductFactsForRules) => boolean {
  const tests = conditions.map((condition) => compileCondition(condition, now, definitions));
  return match === 'all'
    ? (product) => tests.every((holds) => holds(product))
    : (product) => tests.some((holds) => holds(product));
}

function compileCondition(
  { field, op, value }: RuleCondition,
  now: number,
  definitions: RuleDefinitions,
): (product: ProductFactsForRules) => boolean {
  const compared = findComparedField(field, definitions);
  // A field that a later version knows, or a definition that was deleted: nobody has a value of it.
  if (!compared) return () => op === 'isNot';
  const { kind, values } = compared;
  const some = (holds: (each: never) => boolean) => (product: ProductFactsForRules) =>
    values(product).some((each) => holds(each as never));
  const isTime = kind === 'instant' || kind === 'time';
  const limit = isTime
    ? op === 'within'
      ? now - Number(value) * dayMs
      : readInstant(String(value))!
    : Number(value);
  const text = kind === 'text' ? foldText(String(value)) : '';
  const equal: unknown = isTime ? limit : value;
  const someText = (holds: (each: string) => boolean) => (product: ProductFactsForRules) =>
    foldedValues(product, field, compared).some(holds);
  const compiled: Readonly<Record<Operation, (product: ProductFactsForRules) => boolean>> = {
    is: some((each: unknown) => each === equal),
    isNot: (product) => !values(product).includes(equal),
    contains: someText((each) => each.includes(text)),
    startsWith: someText((each) => each.startsWith(text)),
    above: some((each: number) => each > limit),
    below: some((each: number) => each < limit),
    within: some((each: number) => each >= limit),
  };
  return compiled[op];
}

/** What texts of a product fold to, kept as long as its facts: many rules look at the same. */
const folded = new WeakMap<ProductFactsForRules, Record<string, readonly string[]>>();

function foldedValues(
  product: ProductFactsForRules,
  field: string,
  { values }: ComparedField,
): readonly string[] {
  let known = folded.get(product);
  if (!known) {
    known = {};
    folded.set(product, known);
  }
  known[field] ??= values(product).map((each) => foldText(String(each)));
  return known[field];
}

const readInstant = (text: string): number | null => parseInstant(text)?.getTime() ?? null;
