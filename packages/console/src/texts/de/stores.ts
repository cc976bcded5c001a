import type { StoreWords } from '../en/stores.ts';

const words: StoreWords = {
  title: 'Eröffnen Sie Ihren Shop',
  subtitle: 'Ein Name genügt. Alles lässt sich später ändern.',
  invited:
    'Jemand hat Sie in einen anderen eingeladen? Öffnen Sie den Link in jener Mail: Sie brauchen keinen eigenen.',
  none: 'Noch kein Shop',
  role: 'Rolle',
  count: (count) => `Shops: ${count}`,
  name: 'Name des Shops',
  slug: 'Adresse',
  currency: 'Währung',
  currencyHint: 'Preise und Bestellungen stehen darin.',
  create: 'Shop eröffnen',
  created: (name) => `${name} ist eröffnet.`,
};

export default words;
