import type { TemplateNames } from '../en/template-names.ts';

const words: TemplateNames = {
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
