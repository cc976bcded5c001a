const words = {
  title: 'Store settings',
  basics: 'Store',
  name: 'Name',
  slug: 'Address',
  slugHint: 'Part of the address where visitors find the store, and of every link to it.',
  slugWarning: (old: string) =>
    `When you save, “${old}” leads nowhere at once: links, bookmarks and search results with it end. Somebody else can take it.`,
  currency: 'Currency',
  currencyWarning:
    'Prices keep their numbers and are in the new currency from then on; nothing is converted. Orders keep theirs.',
  languages: 'Languages',
  languagesHint: 'In which languages visitors find the store. The first is the one that it is written in.',
  automatic: 'Follow the translations',
  automaticHint: 'English first, then every language that has translations, up to 20 in all.',
  chosen: 'These',
  chosenHint: 'In this order.',
  writtenIn: 'Written in it',
  addLanguage: 'Add a language',
  addLanguagePlaceholder: 'Choose…',
  moveUp: (language: string) => `Move ${language} up`,
  removeLanguage: (language: string) => `Remove ${language}`,
  checkout: 'Checkout',
  maxQuantity: 'Most pieces of one variant in an order',
  expires: 'Cancel unpaid orders automatically',
  expireMinutes: 'After so many minutes',
  expireHint: 'They are cancelled and their stock is put back; orders from before you set this, too.',
  saved: 'Saved.',
  facts: 'Facts',
  readOnly: (role: string) => `You see this as ${role}. An admin or owner can change it.`,
  members: 'Leave this store',
  membersHint:
    'Under Members, in the menu beside your name. A store closes when its only member deletes the account.',
};

export default words;
export type SettingsWords = typeof words;
