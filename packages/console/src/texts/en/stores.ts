const words = {
  title: 'Open your store',
  subtitle: 'A name is enough. Everything can be changed later.',
  invited: 'Somebody has invited you to theirs? Open the link in that mail: you need none of your own.',
  none: 'No store yet',
  role: 'Role',
  count: (count: string) => `Stores: ${count}`,
  name: 'Name of the store',
  slug: 'Address',
  currency: 'Currency',
  currencyHint: 'Prices and orders are in it.',
  create: 'Open the store',
  created: (name: string) => `${name} is open.`,
};

export default words;
export type StoreWords = typeof words;
