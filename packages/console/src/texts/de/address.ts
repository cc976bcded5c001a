import type { AddressWords } from '../en/address.ts';

const words: AddressWords = {
  name: 'Empfänger',
  line1: 'Straße und Hausnummer',
  line2: 'Zusatz',
  postalCode: 'Postleitzahl',
  city: 'Ort',
  region: 'Region',
  country: 'Land',
  noCountry: 'Kein Land',
};

export default words;
