const words = {
  name: 'Recipient',
  line1: 'Street and number',
  line2: 'Addition',
  postalCode: 'Postal code',
  city: 'City',
  region: 'Region',
  country: 'Country',
  noCountry: 'No country',
};

export default words;
export type AddressWords = typeof words;
