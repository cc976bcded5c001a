import { linePattern } from '@waybill/contracts';

/** The messages for the rules, worded as a field or a setting would say them. */
export const ruleMessages: Readonly<Record<string, (params: Record<string, unknown>) => string>> = {
  enum({ allowedValues }) {
    const values = allowedValues as unknown[];
    return values.length > 30 ? 'is not an allowed value' : `must be one of: ${values.join(', ')}`;
  },
  type: ({ type }) => `must be ${typeNames[String(type)] ?? type}`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minItems: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} entries`),
  maxItems: ({ limit }) => `must have at most ${limit} entries`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  // The pattern itself does not help people; the API document has it.
  pattern: ({ pattern }) =>
    pattern === linePattern
      ? 'must be one line, without control characters'
      : 'does not have the required form',
};

/** The types of JSON Schema in words. */
export const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};
