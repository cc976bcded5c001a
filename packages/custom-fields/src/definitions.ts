import {
  type CustomField,
  type CustomFieldRules,
  type CustomFieldType,
  customFieldLimits,
  hasVisibleCharacter,
  type Problem,
} from '@waybill/contracts';
import { compilePattern, isTooComplex } from './patterns.ts';

/**
 * How `min` and `max` apply to a value of each type: to the number or to its length. Types without an entry have
 * neither.
 */
const boundsByType: Readonly<Partial<Record<CustomFieldType, 'number' | 'length'>>> = {
  text: 'length',
  longText: 'length',
  richText: 'length',
  integer: 'number',
  decimal: 'number',
  multiSelect: 'length',
  list: 'length',
};

/** Maximum number of characters that a pattern may have to match, for each type that takes a pattern. */
const patternedCharacters: Readonly<Partial<Record<CustomFieldType, number>>> = {
  text: customFieldLimits.text,
  longText: customFieldLimits.longText,
  url: customFieldLimits.url,
  list: customFieldLimits.listItems * customFieldLimits.text,
};

/** Returns what `min` and `max` of a type apply to; undefined for a type that has neither. */
export const boundsKind = (type: CustomFieldType): 'number' | 'length' | undefined => boundsByType[type];

/** Whether the values of a type may have to match a pattern. */
export const supportsPattern = (type: CustomFieldType): boolean => patternedCharacters[type] !== undefined;

/** Whether the values of a type come from a list of options. */
export const supportsOptions = (type: CustomFieldType): boolean =>
  type === 'select' || type === 'multiSelect';

/** Types whose values are too long to serve as filter options. */
const unfilterableTypes: readonly CustomFieldType[] = ['longText', 'richText'];

/** Whether shoppers may filter by values of a type. */
export const isFilterableType = (type: CustomFieldType): boolean => !unfilterableTypes.includes(type);

export const noRules: CustomFieldRules = { required: false, min: null, max: null, pattern: null };

/** Returns the problems between parts of a definition that depend on each other (`decisions.md 20.4`). */
export function definitionProblems({
  entity,
  type,
  options,
  rules,
  isFilterable,
}: Pick<CustomField, 'entity' | 'type' | 'options' | 'rules' | 'isFilterable'>): Problem[] {
  const problems: Problem[] = [];
  const addProblem = (pointer: string, message: string) => problems.push({ pointer, message });
  if (supportsOptions(type)) {
    if (options.length === 0)
      addProblem('/options', `must have at least one choice where the type is "${type}"`);
    for (const [i, option] of options.entries()) {
      if (options.indexOf(option) < i) addProblem(`/options/${i}`, 'is listed twice');
      if (!hasVisibleCharacter(option))
        addProblem(`/options/${i}`, 'must have at least one visible character');
    }
  } else if (options.length > 0) addProblem('/options', `must be empty where the type is "${type}"`);
  problems.push(...ruleProblems(type, rules));
  if (isFilterable && entity !== 'product' && entity !== 'variant')
    addProblem('/isFilterable', 'is for products and variants only');
  else if (isFilterable && !isFilterableType(type))
    addProblem('/isFilterable', `has no use where the type is "${type}"`);
  return problems;
}

function ruleProblems(type: CustomFieldType, { min, max, pattern }: CustomFieldRules): Problem[] {
  const problems: Problem[] = [];
  const addProblem = (rule: string, message: string) => problems.push({ pointer: `/rules/${rule}`, message });
  const kind = boundsKind(type);
  for (const [rule, bound] of Object.entries({ min, max })) {
    if (bound === null) continue;
    if (kind === undefined) addProblem(rule, `has no use where the type is "${type}"`);
    else if (kind === 'length' && (!Number.isInteger(bound) || bound < 0))
      addProblem(rule, 'must be a length: a whole number from 0 on');
    else if (type === 'integer' && !Number.isSafeInteger(bound)) addProblem(rule, 'must be a whole number');
  }
  if (kind !== undefined && min !== null && max !== null && min > max)
    addProblem('max', 'must not be below the minimum');
  if (pattern === null) return problems;
  const characters = patternedCharacters[type];
  if (characters === undefined) addProblem('pattern', `has no use where the type is "${type}"`);
  else {
    const expression = compilePattern(pattern);
    if (expression === null)
      addProblem(
        'pattern',
        'must be a regular expression that runs in linear time: without look-around and back-references',
      );
    else if (isTooComplex(expression, characters))
      addProblem('pattern', 'is too complex for texts of this type');
  }
  return problems;
}
