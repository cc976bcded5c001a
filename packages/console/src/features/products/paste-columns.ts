/** The columns that can be pasted, in the order of the grid. */
export const pasteColumns = ['name', 'sku', 'priceCents', 'stock'] as const;
export type PasteColumn = (typeof pasteColumns)[number];

/** Returns the column of the field with a name such as `/variants/0/sku`; undefined for other elements. */
export const findPasteColumn = (field: string): PasteColumn | undefined =>
  pasteColumns.find((column) => column === field.slice(field.lastIndexOf('/') + 1));
