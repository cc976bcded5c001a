/** The default fields of a product and of a variant. */
export const sampleProduct = {
  options: [],
  vendor: '',
  taxCategory: 'standard',
  seo: { title: '', description: '', imageMediaId: null },
  customFields: {},
  categoryIds: [],
};
export const sampleVariant = {
  options: {},
  compareAtCents: null,
  barcode: null,
  weightGrams: null,
  requiresShipping: true,
  unit: null,
  unitPriceCents: null,
  mediaId: null,
  lowestPriceCents30Days: null,
  customFields: {},
};
