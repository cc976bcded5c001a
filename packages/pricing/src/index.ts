export { allocate, formatPercent, parsePercent } from './amounts.ts';
export { euCountries } from './places.ts';
export { type Priced, price } from './price.ts';
export { mayReverseCharge } from './taxes.ts';
export type * from './types.ts';
