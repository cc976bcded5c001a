import {
  type ApiError,
  errors,
  hasVisibleCharacter,
  type Problem,
  trimName,
  withAsciiDomain,
} from '@waybill/contracts';
import { Ajv, type ErrorObject, type FuncKeywordDefinition, type ValidateFunction } from 'ajv';
import type { TObject, TSchema } from 'typebox';
import { ruleMessages, typeNames } from '../operations/rule-words.ts';
import { escapePointer } from './body.ts';
import { invalidInstantMessage, parseInstant } from './instant.ts';
import { joinWords } from './refusals.ts';

/**
 * The keyword `errorCode`, with which a schema names its specific code of the contract. Those come before
 * `invalid_body` (`decisions.md 1.6`). It holds for all rules of the schema or by rule: `{ required: 'no_events',
 * minItems: 'no_events' }`.
 */
const codeKeyword = { keyword: 'errorCode', schemaType: ['string', 'object'] as ('string' | 'object')[] };

/** A keyword with the schema that only the API document shows, in place of the one that contains it. */
const documentKeyword = { keyword: 'documentedAs', schemaType: 'object' as const };

/** How each kind of text is stored: `Name` and `Email` of the contracts. */
const textForms: Readonly<Record<string, { read(text: string): string; isValid(read: string): boolean }>> = {
  name: { read: trimName, isValid: hasVisibleCharacter },
  email: { read: withAsciiDomain, isValid: () => true },
};

/** Replaces a text by its stored form before the other rules check it. An empty text is left to `minLength`. */
const readKeyword: FuncKeywordDefinition = {
  keyword: 'readAs',
  type: 'string',
  schemaType: 'string',
  before: 'maxLength',
  modifying: true,
  error: { message: 'must have at least one visible character' },
  validate(as: keyof typeof textForms, text: string, _?: object, location?: DataLocation) {
    const { read, isValid } = textForms[as]!;
    if (text === '') return true;
    const stored = read(text);
    if (!isValid(stored)) return false;
    location!.parentData[location!.parentDataProperty] = stored;
    return true;
  },
};
type DataLocation = { parentData: Record<string | number, unknown>; parentDataProperty: string | number };

const options = {
  strict: true,
  addUsedSchema: false,
  strictTypes: false,
  validateFormats: false,
  verbose: true,
} as const;
const keywords = [codeKeyword, documentKeyword, readKeyword];
const firstErrorAjv = new Ajv({ ...options, keywords });
const allErrorsAjv = new Ajv({ ...options, keywords, allErrors: true });

/** Maximum number of values of a body up to which all problems are listed: beyond that, it costs more than it helps. */
const maxListedValues = 20_000;
const maxProblems = 100;

/** Finds further problems of a body: of its fields that keep to their schemas, without those that are `refused`. */
export type FindMoreProblems = (
  fields: Record<string, unknown>,
  refused: ReadonlySet<string>,
) => Promise<readonly Problem[]>;

/**
 * Returns the check of a body. It throws an ApiError with all problems, including those found while reading the body;
 * `errorTable` provides the specific codes. With `findMore`, it returns a promise that rejects with its problems, too.
 * A schema is compiled for its first body: compiling all of them would take an eighth of the time of a start.
 */
export function createBodyCheck(
  schema: TSchema,
  errorTable: Record<string, (extras: object) => ApiError>,
): (
  body: unknown,
  found: readonly Problem[],
  findMore?: FindMoreProblems | undefined,
) => Promise<never> | undefined {
  let isValid: ValidateFunction | null = null;
  let listAll: ValidateFunction | null = null;
  return (body, found, findMore) => {
    isValid ??= firstErrorAjv.compile(schema);
    const fits = isValid(body);
    if (fits && found.length === 0) return undefined;
    let failures = isValid.errors ?? [];
    const areAllListed = fits || countValues(body, maxListedValues) < maxListedValues;
    if (!fits && areAllListed) {
      listAll ??= allErrorsAjv.compile(schema);
      listAll(body);
      failures = listAll.errors!;
    }
    if (!findMore || !areAllListed) throw toApiError(failures, found, errorTable);
    return addProblems(body as Record<string, unknown>, failures, found, findMore).then((all) => {
      throw toApiError(failures, all, errorTable);
    });
  };
}

/** Returns the problems of `found` and those that `findMore` finds in the other fields. */
async function addProblems(
  body: Record<string, unknown>,
  failures: readonly ErrorObject[],
  found: readonly Problem[],
  findMore: FindMoreProblems,
): Promise<Problem[]> {
  const refused = new Set([...withoutUnions(failures).map(toProblem), ...found].map(getFieldName));
  const fields = Object.fromEntries(Object.entries(body).filter(([name]) => !refused.has(name)));
  const more = await findMore(fields, refused);
  return [...found, ...more.filter((problem) => !refused.has(getFieldName(problem)))];
}

/** Returns the name of the body's field that a problem is in. */
const getFieldName = ({ pointer }: Problem): string =>
  (pointer.split('/', 2)[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');

function toApiError(
  failures: readonly ErrorObject[],
  found: readonly Problem[],
  errorTable: Record<string, (extras: object) => ApiError>,
): ApiError {
  const relevantFailures = withoutUnions(failures);
  const problems = relevantFailures.slice(0, maxProblems).map(toProblem);
  const details = [...problems, ...found]
    .slice(0, maxProblems)
    .map(({ pointer, message }): Problem => ({ pointer, message }));
  const codedIndex = problems.findIndex(({ code }) => code !== undefined);
  const createError = errorTable[problems[codedIndex]?.code ?? ''];
  if (!createError) return errors.invalid_body({ details });
  const { keyword, data } = relevantFailures[codedIndex]!;
  if (keyword !== 'enum' || typeof data !== 'string') return createError({ details });
  // Names the wrong one among many names.
  const message = createError({}).message.replace(/\.$/, `: ${JSON.stringify(data.slice(0, 100))}.`);
  return createError({ message, details });
}

/**
 * Reduces the failures of unions. A union reports the failures of all its branches, and then its own. A caller needs
 * those of the branch that the value was meant for: the one with its type. If no branch or several have it, the caller
 * gets the union's own failure.
 */
function withoutUnions(failures: readonly ErrorObject[]): ErrorObject[] {
  const relevantFailures: ErrorObject[] = [];
  for (const failure of failures) {
    if (failure.keyword !== 'anyOf') {
      relevantFailures.push(failure);
      continue;
    }
    const since = relevantFailures.findLastIndex((one) => !isWithin(one, failure)) + 1;
    relevantFailures.push(...failuresOfMatchingBranch(failure, relevantFailures.splice(since)));
  }
  return relevantFailures;
}

const isWithin = ({ schemaPath, instancePath }: ErrorObject, union: ErrorObject) =>
  schemaPath.startsWith(`${union.schemaPath}/`) && `${instancePath}/`.startsWith(`${union.instancePath}/`);

function failuresOfMatchingBranch(
  union: ErrorObject,
  failures: readonly ErrorObject[],
): readonly ErrorObject[] {
  const branches = Map.groupBy(
    failures,
    ({ schemaPath }) => schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0],
  );
  const isOfType = (branch: readonly ErrorObject[]) =>
    !branch.some(({ keyword, instancePath }) => keyword === 'type' && instancePath === union.instancePath);
  const [matching, ...others] = [...branches.values()].filter(isOfType);
  if (!matching || others.length > 0) return [union];
  const { errorCode } = union.parentSchema!;
  return errorCode === undefined
    ? matching
    : matching.map((failure) => ({ ...failure, parentSchema: { errorCode, ...failure.parentSchema } }));
}

function toProblem(failure: ErrorObject): Problem {
  const { keyword, instancePath, params, message = 'is not valid', parentSchema } = failure;
  if (keyword === 'required') {
    const name: string = params.missingProperty;
    const code = findErrorCode(parentSchema?.properties?.[name]?.errorCode, keyword);
    return {
      pointer: `${instancePath}/${escapePointer(name)}`,
      message: 'is required',
      ...(code && { code }),
    };
  }
  if (keyword === 'additionalProperties') {
    const pointer = `${instancePath}/${escapePointer(params.additionalProperty)}`;
    return { pointer, message: 'is not a field that can be set here' };
  }
  const code = findErrorCode(parentSchema?.errorCode, keyword);
  const text =
    keyword === 'anyOf' ? describeUnion(parentSchema) : (ruleMessages[keyword]?.(params) ?? message);
  return { pointer: instancePath, message: text, ...(code && { code }) };
}

/** Returns the types that a union takes, if its branches differ by type. */
function describeUnion(schema: ErrorObject['parentSchema']): string {
  const branches: readonly { type?: string }[] = schema?.anyOf ?? [];
  const words = branches.flatMap(({ type }) => typeNames[type ?? ''] ?? []);
  return new Set(words).size === branches.length
    ? `must be ${joinWords(words, 'or')}`
    : 'is not an allowed kind of value';
}

/**
 * Returns the specific code of a failure. A code for all rules does not cover a missing value, because "required" is a
 * rule of the parent.
 */
function findErrorCode(
  errorCode: string | Record<string, string> | undefined,
  keyword: string,
): string | undefined {
  if (typeof errorCode === 'string') return keyword === 'required' ? undefined : errorCode;
  return errorCode?.[keyword];
}

function countValues(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const key in value) {
    count += countValues((value as Record<string, unknown>)[key], limit - count);
    if (count >= limit) return count;
  }
  return count;
}

interface QueryField {
  type?: string;
  format?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
}

type QueryValue = string | string[] | undefined;

/**
 * Compiles a lenient reader of the query string, `decisions.md 1.9`: a value that does not fit counts as absent. A
 * malformed instant is an error, `decisions.md 19.5`, because a list without its limits could be mistaken for the
 * requested one.
 * @throws invalid_body for a malformed instant
 */
export function createQueryReader(
  schema: TObject,
): (query: Readonly<Record<string, unknown>>) => Record<string, unknown> {
  const fields = Object.entries(schema.properties as Record<string, QueryField>);
  return (query) => {
    const values: Record<string, unknown> = {};
    const problems: Problem[] = [];
    for (const [name, field] of fields) {
      const raw = query[name] as QueryValue;
      const text = Array.isArray(raw) ? raw[0] : raw;
      const read = readValue(text, field);
      const value = read === undefined ? field.default : read;
      if (value === null)
        problems.push({ pointer: `/${escapePointer(name)}`, message: invalidInstantMessage });
      else if (value !== undefined) values[name] = value;
    }
    if (problems.length > 0)
      throw errors.invalid_body({ message: 'The query is not valid.', details: problems });
    return values;
  };
}

/** Undefined means that the value counts as absent, null that it is a malformed instant. */
function readValue(text: string | undefined, field: QueryField): unknown {
  if (text === undefined) return undefined;
  if (field.type === 'integer') {
    if (!/^\d+$/.test(text)) return undefined;
    const number = Number(text);
    // A number that is too large is clamped, `store-api.md 4.1`; without a maximum, to the largest
    // number that a database can count.
    const maximum = field.maximum ?? Number.MAX_SAFE_INTEGER;
    return number < (field.minimum ?? 0) ? undefined : Math.min(number, maximum);
  }
  if (field.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (field.format === 'date-time')
    return text === '' ? undefined : (parseInstant(text)?.toISOString() ?? null);
  if (field.enum) return field.enum.includes(text) ? text : undefined;
  // No stored text contains NUL, so it matches nothing; a database would refuse the query.
  return text.replaceAll('\0', '\ufffd');
}
