import type { Json, ValueType } from '@waybill/page';

/** The names that the theme gives values of a type, such as `color.primary`; none where it may have none. */
export const tokensOf = ({ anyOf = [] }: ValueType): readonly string[] =>
  anyOf.flatMap(({ properties }) => (properties?.token?.enum ?? []) as readonly string[]);

/** The name that a value takes the theme's value by. */
export function tokenIn(value: Json | undefined): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { token } = value as { token?: Json };
  return typeof token === 'string' ? token : undefined;
}
