/** The default fields of a product and of a variant. */
export const plainProduct = {
  options: [],
  vendor: '',
  taxCategory: 'standard',
  seo: { title: '', description: '', imageMediaId: null },
  customFields: {},
  categoryIds: [],
};
export const plainVariant = {
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
