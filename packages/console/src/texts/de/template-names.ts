import type english from '../en/template-names.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  kinds: {
    header: 'Kopfbereich',
    footer: 'Fußbereich',
    product: 'Produktseite',
    category: 'Kategorieseite',
    article: 'Artikelseite',
    blog: 'Blog',
    search: 'Suchergebnisse',
    notFound: 'Seite nicht gefunden',
  },
  theme: 'Gestaltung',
};

export default words;
