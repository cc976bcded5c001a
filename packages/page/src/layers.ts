import { type Breakpoint, breakpoints, type Json, type PerBreakpoint } from './model.ts';

type Values = Readonly<Record<string, Json>>;

/**
 * Returns the value of a key at a width: that of the narrowest breakpoint at or above it that has one. `null` and no
 * value at all give undefined, which stands for the layer below.
 */
export function valueAt(values: PerBreakpoint | undefined, key: string, at: Breakpoint): Json | undefined {
  for (let i = breakpoints.indexOf(at); i >= 0; i--) {
    const own = values?.[breakpoints[i]!];
    if (own && Object.hasOwn(own, key)) return own[key] ?? undefined;
  }
  return undefined;
}

/** Lays a merchant's values over the author's, key by key; a missing or `null` value keeps the author's. */
export function mergeLayers(
  authored: PerBreakpoint | undefined,
  merchants: PerBreakpoint | undefined,
): PerBreakpoint | undefined {
  if (!merchants) return authored;
  const keys = new Set(
    [authored, merchants].flatMap((layer) => breakpoints.flatMap((at) => Object.keys(layer?.[at] ?? {}))),
  );
  return Object.fromEntries(
    breakpoints.map((at) => [
      at,
      Object.fromEntries(
        [...keys].map((key) => [key, valueAt(merchants, key, at) ?? valueAt(authored, key, at) ?? null]),
      ),
    ]),
  );
}

/** Like `mergeLayers`, for specials, which have no widths. */
export function mergeSpecials(authored: Values | undefined, merchants: Values | undefined): Values {
  if (!merchants) return authored ?? {};
  const result: Record<string, Json> = { ...authored };
  for (const [key, value] of Object.entries(merchants)) if (value !== null) result[key] = value;
  return result;
}
