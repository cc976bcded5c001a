import { type Breakpoint, breakpoints, type Json, type PerBreakpoint } from './model.ts';

type Values = Readonly<Record<string, Json>>;

/**
 * The value of a key at a width: what the narrowest breakpoint up to it says; `null` and silence are undefined,
 * which is the layer below.
 */
export function valueAt(values: PerBreakpoint | undefined, key: string, at: Breakpoint): Json | undefined {
  for (let i = breakpoints.indexOf(at); i >= 0; i--) {
    const own = values?.[breakpoints[i]!];
    if (own && Object.hasOwn(own, key)) return own[key] ?? undefined;
  }
  return undefined;
}

/** A merchant's values over the author's, key by key: one that is absent or `null` leaves the author's in place. */
export function layered(
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

/** The same for specials, which know no widths. */
export function layeredSpecials(authored: Values | undefined, merchants: Values | undefined): Values {
  if (!merchants) return authored ?? {};
  const result: Record<string, Json> = { ...authored };
  for (const [key, value] of Object.entries(merchants)) if (value !== null) result[key] = value;
  return result;
}
