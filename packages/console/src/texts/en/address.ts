import type { Compiled } from '../messages.ts';

const words = {
  name: 'Recipient',
  line1: 'Address',
  line2: 'Apartment, suite, etc.',
  postalCode: 'Postal code',
  city: 'City',
  region: 'State or region',
  country: 'Country',
  noCountry: 'No country',
} as const;

export default words;
export type AddressWords = Compiled<typeof words>;
