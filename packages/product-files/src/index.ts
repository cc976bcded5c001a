export { currencyExponent } from '@waybill/contracts/currencies';
export { isAmbiguous, readAmount, readCount } from './amounts.ts';
export { type CodePage, codePages, type DecodedFile, decode, decodeFile, type Encoding } from './encoding.ts';
export { type FieldColumn, listFieldColumns } from './field-cells.ts';
export * from './products.ts';
export type { FileForm } from './read-table.ts';
export { readSheet, type Sheet, type SheetRow } from './sheet.ts';
export { writeAmount, writeTable } from './table.ts';
