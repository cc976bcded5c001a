export { readAmount, readCount } from './amounts.ts';
export * from './products.ts';
export { writeAmount, writeTable } from './table.ts';
