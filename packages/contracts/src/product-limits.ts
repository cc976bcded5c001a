/** Limits of a product: `decisions.md 20.1, 20.2`. */
export const productLimits = {
  options: 5,
  optionValues: 250,
  variants: 2_048,
  weightGrams: 1_000_000,
} as const;

/** The units in which an amount of a variant is measured. */
export const unitMeasures = ['g', 'kg', 'ml', 'l', 'm', 'm2', 'piece'] as const;

const gtin = /^(\d{8}|\d{12,14})$/;
export const gtinPattern = gtin.source;

/** Whether a text is a GTIN of 8, 12, 13 or 14 digits with a correct check digit. */
export function isGtin(text: string): boolean {
  if (!gtin.test(text)) return false;
  const digits = [...text].map(Number).reverse();
  return digits.reduce((sum, digit, i) => sum + digit * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}
