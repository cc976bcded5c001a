import type { AddressWords } from '../en/address.ts';

const words: AddressWords = {
  name: 'Empfänger',
  line1: 'Straße und Hausnummer',
  line2: 'Adresszusatz',
  postalCode: 'Postleitzahl',
  city: 'Ort',
  region: 'Bundesland oder Region',
  country: 'Land',
  noCountry: 'Kein Land',
};

export default words;
