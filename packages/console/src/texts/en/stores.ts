const words = {
  title: 'Create your store',
  subtitle: 'All you need is a name. You can change everything later.',
  invited: 'Were you invited to a store? Open the link in your invitation e-mail instead.',
  none: 'No stores yet',
  role: 'Role',
  count: (count: string) => `Stores: ${count}`,
  name: 'Store name',
  slug: 'URL handle',
  currency: 'Currency',
  currencyHint: 'Used for prices and orders.',
  create: 'Create store',
  created: (name: string) => `${name} created`,
};

export default words;
export type StoreWords = typeof words;
