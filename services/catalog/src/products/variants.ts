import {
  isGtin,
  newId,
  type Problem,
  productLimits,
  trimName,
  type Unit,
  type Variant,
} from '@waybill/contracts';
import { applyChange, noChange, requireValues, type WithFields } from '@waybill/custom-fields';
import { errors } from '../errors.ts';
import { completeVariant, type ProductState, pickLaterVariantFields, type VariantState } from './fields.ts';
import { FoundProblems } from './problems.ts';
import type { ProductInput, ProductPatch } from './routes.ts';

type VariantInput = WithFields<NonNullable<ProductInput['variants']>[number]>;
type VariantPatch = WithFields<NonNullable<ProductPatch['variants']>[number]>;
type ProductOptions = ProductState['options'];

/** Variants to write, the pointers to those that the body contains, and what is wrong with them. */
interface VariantSet {
  variants: VariantState[];
  pointers: ReadonlyMap<string, string>;
  found: FoundProblems;
}

/** Returns the variants that the inputs describe, in place of the present ones. */
export function replaceVariantStates(
  present: readonly VariantState[],
  inputs: readonly VariantInput[] = [],
): VariantSet {
  checkUniqueSkus(inputs);
  const matched = matchVariants(present, inputs);
  const found = new FoundProblems();
  const composed = inputs.map((input, i) => {
    const former = matched[i] ?? null;
    return composeVariant(input, former, former && pickLaterVariantFields(former), `/variants/${i}`, found);
  });
  return mergeVariants([], composed, found);
}

/** Returns the present variants with the changes and additions of the inputs. */
export function patchVariants(
  present: readonly VariantState[],
  inputs: readonly VariantPatch[] = [],
): VariantSet {
  checkUniqueSkus(inputs);
  const matched = matchVariants(present, inputs);
  const found = new FoundProblems();
  const composed = inputs.map((input, i) => {
    const former = matched[i] ?? null;
    const priceCents = input.priceCents ?? former?.priceCents;
    if (priceCents === undefined)
      found.add([{ pointer: `/variants/${i}/priceCents`, message: 'is required for a new variant' }]);
    return composeVariant({ ...input, priceCents: priceCents ?? 0 }, former, former, `/variants/${i}`, found);
  });
  const result = mergeVariants(present, composed, found);
  if (result.variants.length > productLimits.variants)
    found.add([{ pointer: '/variants', message: `makes more than ${productLimits.variants} variants` }]);
  return result;
}

/** Returns the present variants with one of them changed. */
export function patchVariant(
  present: readonly VariantState[],
  id: string,
  { id: _, ...patch }: VariantPatch,
): VariantSet {
  const former = present.find((variant) => variant.id === id);
  if (!former) throw errors.not_found();
  const priceCents = patch.priceCents ?? former.priceCents;
  const found = new FoundProblems();
  return mergeVariants(present, [composeVariant({ ...patch, priceCents }, former, former, '', found)], found);
}

interface ComposedVariant {
  pointer: string;
  state: VariantState;
}

function mergeVariants(
  present: readonly VariantState[],
  composed: readonly ComposedVariant[],
  found: FoundProblems,
): VariantSet {
  const changed = new Map(composed.map(({ state }) => [state.id, state]));
  const known = new Set(present.map(({ id }) => id));
  return {
    variants: [
      ...present.map((variant) => changed.get(variant.id) ?? variant),
      ...composed.flatMap(({ state }) => (known.has(state.id) ? [] : state)),
    ],
    pointers: new Map(composed.map(({ state, pointer }) => [state.id, pointer])),
    found,
  };
}

/**
 * Builds a variant from an input by the rules of `decisions.md 20.2`. `former` is the existing variant, if any.
 * `defaults` provides the values of omitted fields; with null, they get their defaults. What is wrong with the input goes
 * to `found`.
 */
function composeVariant(
  input: VariantInput,
  former: VariantState | null,
  defaults: Partial<VariantState> | null,
  pointer: string,
  found: FoundProblems,
): ComposedVariant {
  const complete = { ...defaults, ...input };
  const { priceCents, fields = noChange } = input;
  found.collect(() => checkCompareAt(input, `${pointer}/compareAtCents`), undefined);
  found.collect(() => checkBarcode(input, `${pointer}/barcode`), undefined);
  if (!former) found.collect(() => requireValues(fields), undefined);
  const compareAtCents =
    complete.compareAtCents != null && complete.compareAtCents > priceCents ? complete.compareAtCents : null;
  const unitPointer = `${pointer}/unit`;
  const given = complete.unit ? { ...defaults?.unit, ...complete.unit } : null;
  const unit = given && found.collect(() => readUnit(given, unitPointer), null);
  const formerFields = former?.customFields ?? {};
  const values = completeVariant({
    ...complete,
    compareAtCents,
    unit,
    unitPriceCents: unit && found.collect(() => priceUnit(priceCents, unit, unitPointer), null),
    // The caller sets this value later, from the price history.
    lowestPriceCents30Days: former?.lowestPriceCents30Days ?? null,
    customFields: found.collect(
      () => applyChange(formerFields, fields, `${pointer}/customFields`),
      formerFields,
    ),
  });
  const state = { id: former?.id ?? newId('variant'), ...values, priceSince: former?.priceSince ?? null };
  return { pointer, state };
}

function checkCompareAt({ compareAtCents, priceCents }: VariantInput, pointer: string): void {
  if (compareAtCents == null || compareAtCents > priceCents) return;
  throw errors.invalid_price({
    message: 'The compare-at price must be above the price.',
    details: [{ pointer, message: 'must be above priceCents' }],
  });
}

function checkBarcode({ barcode }: VariantInput, pointer: string): void {
  if (barcode != null && !isGtin(barcode))
    throw errors.invalid_barcode({ details: [{ pointer, message: 'has a wrong check digit' }] });
}

function readUnit({ amount, measure, perAmount }: Partial<Unit>, pointer: string): Unit {
  const missing = Object.entries({ amount, measure, perAmount }).flatMap(([name, value]): Problem[] =>
    value === undefined ? [{ pointer: `${pointer}/${name}`, message: 'is required' }] : [],
  );
  const imprecise = Object.entries({ amount, perAmount }).flatMap(([name, value]): Problem[] =>
    value === undefined || thousandths(value) / 1000 === value
      ? []
      : [{ pointer: `${pointer}/${name}`, message: 'must have at most three decimals' }],
  );
  const details = [...missing, ...imprecise];
  if (details.length > 0) throw errors.invalid_body({ details });
  return { amount, measure, perAmount } as Unit;
}

const thousandths = (value: number) => Math.round(value * 1000);

/**
 * Computes `priceCents × perAmount ÷ amount`, rounded half up. Uses BigInt, because the product may exceed the range of
 * a double.
 */
function priceUnit(priceCents: number, { amount, perAmount }: Unit, pointer: string): number {
  const [per, of] = [BigInt(thousandths(perAmount)), BigInt(thousandths(amount))];
  const cents = Number((2n * BigInt(priceCents) * per + of) / (2n * of));
  if (Number.isSafeInteger(cents)) return cents;
  throw errors.invalid_body({
    details: [{ pointer, message: 'makes the unit price too large' }],
  });
}

/**
 * Checks that each variant has exactly one value of each option of the product, and that no two variants have the same.
 * Returns the variants with their options in the product's order.
 * @throws invalid_body, or the code of another problem that was found in the product
 */
export function withCheckedOptions(
  options: ProductOptions,
  { variants, pointers, found }: VariantSet,
): VariantState[] {
  const problems = optionProblems(options);
  const values = new Map(options.map((option) => [option.name, new Set(option.values)]));
  const combinations = new Set<string>();
  const checked = variants.map((variant) => {
    const at = pointers.get(variant.id);
    const pointer = at === undefined ? '/options' : `${at}/options`;
    const prefix =
      at === undefined ? `leaves the variant ${variant.id} with options that it does not have: ` : '';
    const named = readOptions(variant.options, values);
    for (const name of Object.keys(named))
      if (!values.has(name))
        problems.push({
          pointer,
          message: `${prefix}${JSON.stringify(name)} is not an option of the product`,
        });
    const chosen = options.flatMap(({ name }): [string, string][] => {
      const value = Object.hasOwn(named, name) ? named[name] : undefined;
      if (value !== undefined && values.get(name)!.has(value)) return [[name, value]];
      const problem = value === undefined ? 'is missing' : `has no value ${JSON.stringify(value)}`;
      problems.push({ pointer, message: `${prefix}${JSON.stringify(name)} ${problem}` });
      return [];
    });
    const combination = JSON.stringify(chosen);
    if (options.length > 0 && chosen.length === options.length && combinations.has(combination))
      problems.push({ pointer, message: 'is also the combination of another variant' });
    combinations.add(combination);
    return combination === JSON.stringify(Object.entries(variant.options))
      ? variant
      : { ...variant, options: Object.fromEntries(chosen) };
  });
  found.add(problems);
  found.assertNone();
  return checked;
}

/**
 * Matches a variant's options to the names and values of the product, which are stored without surrounding white space.
 * So the same text sent in both places matches. `decisions.md 19.4`.
 */
function readOptions(
  sent: VariantState['options'],
  values: ReadonlyMap<string, ReadonlySet<string>>,
): VariantState['options'] {
  const read = Object.entries(sent).map(([sentName, sentValue]) => {
    const name = values.has(sentName) ? sentName : trimName(sentName);
    return [name, values.get(name)?.has(sentValue) ? sentValue : trimName(sentValue)] as const;
  });
  return Object.fromEntries(read);
}

/** Reports option names and values that occur twice. */
function optionProblems(options: ProductOptions): Problem[] {
  const repeated = (texts: readonly string[], createPointer: (i: number) => string) =>
    texts.flatMap((text, i): Problem[] =>
      texts.indexOf(text) < i ? [{ pointer: createPointer(i), message: 'appears here twice' }] : [],
    );
  return [
    ...repeated(
      options.map(({ name }) => name),
      (i) => `/options/${i}/name`,
    ),
    ...options.flatMap(({ values }, at) => repeated(values, (i) => `/options/${at}/values/${i}`)),
  ];
}

/** Finds the present variant that each input means, by id or else by SKU. */
function matchVariants(
  present: readonly VariantState[],
  inputs: readonly Pick<VariantPatch, 'id' | 'sku'>[],
): (VariantState | undefined)[] {
  const ids = new Map(present.map((variant) => [variant.id as unknown, variant]));
  const claim = (variant: VariantState | undefined) => {
    if (!variant || !ids.delete(variant.id)) return undefined;
    return variant;
  };
  const byId = inputs.map(({ id }) => claim(ids.get(id)));
  const skus = new Map(present.flatMap((variant) => (variant.sku === null ? [] : [[variant.sku, variant]])));
  return inputs.map(({ sku }, i) => byId[i] ?? (sku ? claim(skus.get(sku)) : undefined));
}

function checkUniqueSkus(variants: readonly Pick<Variant | VariantPatch, 'sku'>[]): void {
  const seen = new Set<string>();
  const details: Problem[] = [];
  for (const [i, { sku }] of variants.entries()) {
    if (sku && seen.has(sku))
      details.push({ pointer: `/variants/${i}/sku`, message: 'appears in this body twice' });
    if (sku) seen.add(sku);
  }
  if (details.length > 0) throw errors.duplicate_sku({ details });
}
