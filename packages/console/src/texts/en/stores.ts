import type { Compiled } from '../messages.ts';

const words = {
  title: 'Create your store',
  subtitle: 'All you need is a name. You can change everything later.',
  invited: 'Were you invited to a store? Open the link in your invitation e-mail instead.',
  none: 'No stores yet',
  role: 'Role',
  count: 'Stores: {count, number}',
  name: 'Store name',
  slug: 'URL handle',
  currency: 'Currency',
  currencyHint: 'Used for prices and orders.',
  create: 'Create store',
  created: '{name} created',
} as const;

export default words;
export type StoreWords = Compiled<typeof words>;
