export { allocate, formatPercent, parsePercent } from './amounts.ts';
export { euCountries } from './places.ts';
export { type Priced, price } from './price.ts';
export { findZone } from './shipping.ts';
export { canReverseCharge } from './taxes.ts';
export type * from './types.ts';
