import type { Json, ValueType } from '@waybill/page';

/** Returns the theme tokens that values of a type may use, such as `color.primary`; empty if none are allowed. */
export const listTokens = ({ anyOf = [] }: ValueType): readonly string[] =>
  anyOf.flatMap(({ properties }) => (properties?.token?.enum ?? []) as readonly string[]);

/** Returns the theme token that a value names. */
export function readToken(value: Json | undefined): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { token } = value as { token?: Json };
  return typeof token === 'string' ? token : undefined;
}
