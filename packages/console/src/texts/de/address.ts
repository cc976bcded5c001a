import type english from '../en/address.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
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
