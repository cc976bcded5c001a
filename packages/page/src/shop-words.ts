/** The words for choosing products, by language; English for any other language. */
export interface ShopWords {
  readonly filters: string;
  readonly apply: string;
  readonly clear: string;
  readonly remove: string;
  readonly sort: string;
  readonly sorts: {
    readonly own: string;
    readonly relevance: string;
    readonly name: string;
    readonly price: string;
    readonly priceDown: string;
    readonly newest: string;
  };
  readonly vendor: string;
  readonly tag: string;
  readonly available: string;
  readonly price: string;
  /** For prices: `upTo` and `from` precede the amount. */
  readonly upTo: string;
  readonly from: string;
  readonly products: readonly [one: string, many: string];
  readonly categories: string;
  /** Precedes a price that is struck through. */
  readonly before: string;
  readonly lowestBefore: string;
  /** For a value that cannot be combined with the other chosen ones. */
  readonly otherChoice: string;
  readonly piece: string;
}

const languages: Readonly<Record<string, ShopWords>> = {
  en: {
    filters: 'Filters',
    apply: 'Apply',
    clear: 'Clear all',
    remove: 'Remove',
    sort: 'Sort by',
    sorts: {
      own: 'Featured',
      relevance: 'Best match',
      name: 'Name',
      price: 'Price, low to high',
      priceDown: 'Price, high to low',
      newest: 'Newest',
    },
    vendor: 'Brand',
    tag: 'Topic',
    available: 'In stock',
    price: 'Price',
    upTo: 'Up to',
    from: 'From',
    products: ['product', 'products'],
    categories: 'Categories',
    before: 'Before:',
    lowestBefore: 'Lowest price of the last 30 days:',
    otherChoice: 'not in this combination',
    piece: 'piece',
  },
  de: {
    filters: 'Filter',
    apply: 'Anwenden',
    clear: 'Alle entfernen',
    remove: 'Entfernen',
    sort: 'Sortieren nach',
    sorts: {
      own: 'Empfohlen',
      relevance: 'Relevanz',
      name: 'Name',
      price: 'Preis aufsteigend',
      priceDown: 'Preis absteigend',
      newest: 'Neueste',
    },
    vendor: 'Marke',
    tag: 'Thema',
    available: 'Auf Lager',
    price: 'Preis',
    upTo: 'Bis',
    from: 'Ab',
    products: ['Produkt', 'Produkte'],
    categories: 'Kategorien',
    before: 'Vorher:',
    lowestBefore: 'Niedrigster Preis der letzten 30 Tage:',
    otherChoice: 'nicht in dieser Kombination',
    piece: 'Stück',
  },
  fr: {
    filters: 'Filtres',
    apply: 'Appliquer',
    clear: 'Tout effacer',
    remove: 'Retirer',
    sort: 'Trier par',
    sorts: {
      own: 'Sélection',
      relevance: 'Pertinence',
      name: 'Nom',
      price: 'Prix croissant',
      priceDown: 'Prix décroissant',
      newest: 'Nouveautés',
    },
    vendor: 'Marque',
    tag: 'Thème',
    available: 'En stock',
    price: 'Prix',
    upTo: 'Jusqu’à',
    from: 'Dès',
    products: ['produit', 'produits'],
    categories: 'Catégories',
    before: 'Avant :',
    lowestBefore: 'Prix le plus bas des 30 derniers jours :',
    otherChoice: 'pas dans cette combinaison',
    piece: 'pièce',
  },
  es: {
    filters: 'Filtros',
    apply: 'Aplicar',
    clear: 'Borrar todo',
    remove: 'Quitar',
    sort: 'Ordenar por',
    sorts: {
      own: 'Destacados',
      relevance: 'Relevancia',
      name: 'Nombre',
      price: 'Precio ascendente',
      priceDown: 'Precio descendente',
      newest: 'Novedades',
    },
    vendor: 'Marca',
    tag: 'Tema',
    available: 'En existencias',
    price: 'Precio',
    upTo: 'Hasta',
    from: 'Desde',
    products: ['producto', 'productos'],
    categories: 'Categorías',
    before: 'Antes:',
    lowestBefore: 'Precio más bajo de los últimos 30 días:',
    otherChoice: 'no en esta combinación',
    piece: 'unidad',
  },
  it: {
    filters: 'Filtri',
    apply: 'Applica',
    clear: 'Rimuovi tutti',
    remove: 'Rimuovi',
    sort: 'Ordina per',
    sorts: {
      own: 'In evidenza',
      relevance: 'Rilevanza',
      name: 'Nome',
      price: 'Prezzo crescente',
      priceDown: 'Prezzo decrescente',
      newest: 'Novità',
    },
    vendor: 'Marca',
    tag: 'Tema',
    available: 'Disponibile',
    price: 'Prezzo',
    upTo: 'Fino a',
    from: 'Da',
    products: ['prodotto', 'prodotti'],
    categories: 'Categorie',
    before: 'Prima:',
    lowestBefore: 'Prezzo più basso degli ultimi 30 giorni:',
    otherChoice: 'non in questa combinazione',
    piece: 'pezzo',
  },
  nl: {
    filters: 'Filters',
    apply: 'Toepassen',
    clear: 'Alles wissen',
    remove: 'Verwijderen',
    sort: 'Sorteren op',
    sorts: {
      own: 'Aanbevolen',
      relevance: 'Relevantie',
      name: 'Naam',
      price: 'Prijs oplopend',
      priceDown: 'Prijs aflopend',
      newest: 'Nieuwste',
    },
    vendor: 'Merk',
    tag: 'Onderwerp',
    available: 'Op voorraad',
    price: 'Prijs',
    upTo: 'Tot',
    from: 'Vanaf',
    products: ['product', 'producten'],
    categories: 'Categorieën',
    before: 'Voorheen:',
    lowestBefore: 'Laagste prijs van de afgelopen 30 dagen:',
    otherChoice: 'niet in deze combinatie',
    piece: 'stuk',
  },
  pt: {
    filters: 'Filtros',
    apply: 'Aplicar',
    clear: 'Limpar tudo',
    remove: 'Remover',
    sort: 'Ordenar por',
    sorts: {
      own: 'Em destaque',
      relevance: 'Relevância',
      name: 'Nome',
      price: 'Preço crescente',
      priceDown: 'Preço decrescente',
      newest: 'Novidades',
    },
    vendor: 'Marca',
    tag: 'Tema',
    available: 'Em stock',
    price: 'Preço',
    upTo: 'Até',
    from: 'A partir de',
    products: ['produto', 'produtos'],
    categories: 'Categorias',
    before: 'Antes:',
    lowestBefore: 'Preço mais baixo dos últimos 30 dias:',
    otherChoice: 'não nesta combinação',
    piece: 'unidade',
  },
};

/** Returns the words for a BCP 47 tag. */
export function shopWordsIn(tag = 'en'): ShopWords {
  const language = tag.split('-', 1)[0]!;
  return Object.hasOwn(languages, language) ? languages[language]! : languages.en!;
}
