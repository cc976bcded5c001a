/** Bounds of a product: `decisions.md 20.1, 20.2`. */
export const productLimits = { options: 5, optionValues: 250, variants: 2_048 } as const;
