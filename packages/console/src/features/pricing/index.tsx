export { ShippingScreen } from './shipping.tsx';
export { TaxesScreen } from './taxes.tsx';
