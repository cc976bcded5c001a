import type english from '../en/stores.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  title: 'Legen Sie Ihren Shop an',
  subtitle: 'Sie brauchen nur einen Namen. Alles lässt sich später ändern.',
  invited: 'Wurden Sie in einen Shop eingeladen? Öffnen Sie stattdessen den Link in der Einladung.',
  none: 'Noch keine Shops',
  role: 'Rolle',
  count: 'Shops: {count, number}',
  name: 'Name des Shops',
  slug: 'URL-Name',
  currency: 'Währung',
  currencyHint: 'Gilt für Preise und Bestellungen.',
  create: 'Shop anlegen',
  created: '{name} angelegt',
};

export default words;
