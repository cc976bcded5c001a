import {
  type CategoryRule,
  foldText,
  idPattern,
  type Problem,
  type RuleCondition,
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
}

type Field = (typeof ruleFields)[number];
type Operation = RuleCondition['op'];

const operations: Readonly<Record<'text' | 'number' | 'instant' | 'id', readonly Operation[]>> = {
  text: ['is', 'isNot', 'contains', 'startsWith'],
  number: ['is', 'isNot', 'above', 'below'],
  instant: ['above', 'below', 'within'],
  id: ['is', 'isNot'],
};

/** What kind of value each field has, and its values of a product: none, one or several. */
const fields: Readonly<
  Record<
    Field,
    { kind: keyof typeof operations; values: (product: ProductFactsForRules) => readonly unknown[] }
  >
> = {
  tag: { kind: 'text', values: ({ tags }) => tags },
  name: { kind: 'text', values: ({ name }) => [name] },
  vendor: { kind: 'text', values: ({ vendor }) => (vendor === '' ? [] : [vendor]) },
  priceCents: { kind: 'number', values: ({ priceCents }) => (priceCents === null ? [] : [priceCents]) },
  stock: { kind: 'number', values: ({ stock }) => [stock] },
  createdAt: { kind: 'instant', values: ({ createdAt }) => [createdAt.getTime()] },
  category: { kind: 'id', values: ({ categoryIds }) => categoryIds },
};

const isField = (name: string): name is Field => ruleFields.includes(name as Field);
const dayMs = 86_400_000;
const maxDays = 36_500;
const maxText = 200;
const categoryId = new RegExp(idPattern('category'));

/** What is wrong with a rule, at pointers below `pointer`: `decisions.md 20.3`. Whether its categories are there is not looked at. */
export function ruleProblems({ conditions }: CategoryRule, pointer: string): Problem[] {
  return conditions.flatMap(({ field, op, value }, i): Problem[] => {
    const at = (name: string, message: string) => [
      { pointer: `${pointer}/conditions/${i}/${name}`, message },
    ];
    if (!isField(field)) return at('field', `is none of ${ruleFields.join(', ')}`);
    const { kind } = fields[field];
    if (!operations[kind].includes(op))
      return at('op', `does not fit the field: it takes ${operations[kind].join(', ')}`);
    if (op === 'within')
      return typeof value === 'number' && value > 0 && value <= maxDays
        ? []
        : at('value', `must be a number of days, above 0 and at most ${maxDays}`);
    if (kind === 'number') return Number.isSafeInteger(value) ? [] : at('value', 'must be a whole number');
    if (kind === 'instant')
      return typeof value === 'string' && readInstant(value) !== null
        ? []
        : at('value', 'must be an instant');
    if (kind === 'id')
      return typeof value === 'string' && categoryId.test(value)
        ? []
        : at('value', 'must be the id of a category');
    return typeof value === 'string' && value !== '' && value.length <= maxText
      ? []
      : at('value', `must be a text of 1 to ${maxText} characters`);
  });
}

/** The categories that a rule names, and where. */
export const categoriesOfRule = ({ conditions }: CategoryRule): { id: string; index: number }[] =>
  conditions.flatMap(({ field, value }, index) =>
    field === 'category' ? [{ id: String(value), index }] : [],
  );

/** Whether what a rule holds for changes as time passes. */
export const goesByTime = ({ conditions }: CategoryRule): boolean =>
  conditions.some(({ op }) => op === 'within');

/** Reads a rule once for many products, as of an instant. */
export function compileRule(
  { match, conditions }: CategoryRule,
  now: number,
): (product: ProductFactsForRules) => boolean {
  const tests = conditions.map((condition) => compileCondition(condition, now));
  return match === 'all'
    ? (product) => tests.every((holds) => holds(product))
    : (product) => tests.some((holds) => holds(product));
}

function compileCondition(
  { field, op, value }: RuleCondition,
  now: number,
): (product: ProductFactsForRules) => boolean {
  // A field that a later version knows: nobody has a value of it.
  if (!isField(field)) return () => op === 'isNot';
  const { kind, values } = fields[field];
  const some = (holds: (each: never) => boolean) => (product: ProductFactsForRules) =>
    values(product).some((each) => holds(each as never));
  const limit =
    kind === 'instant'
      ? op === 'within'
        ? now - Number(value) * dayMs
        : readInstant(String(value))!
      : Number(value);
  const text = kind === 'text' ? foldText(String(value)) : '';
  const someText = (holds: (each: string) => boolean) => (product: ProductFactsForRules) =>
    foldedValues(product, field).some(holds);
  const compiled: Readonly<Record<Operation, (product: ProductFactsForRules) => boolean>> = {
    is: some((each: unknown) => each === value),
    isNot: (product) => !values(product).includes(value),
    contains: someText((each) => each.includes(text)),
    startsWith: someText((each) => each.startsWith(text)),
    above: some((each: number) => each > limit),
    below: some((each: number) => each < limit),
    within: some((each: number) => each >= limit),
  };
  return compiled[op];
}

/** What texts of a product fold to, kept as long as its facts: many rules look at the same. */
const folded = new WeakMap<ProductFactsForRules, Partial<Record<Field, readonly string[]>>>();

function foldedValues(product: ProductFactsForRules, field: Field): readonly string[] {
  let known = folded.get(product);
  if (!known) {
    known = {};
    folded.set(product, known);
  }
  known[field] ??= fields[field].values(product).map((each) => foldText(String(each)));
  return known[field];
}

const readInstant = (text: string): number | null => parseInstant(text)?.getTime() ?? null;
