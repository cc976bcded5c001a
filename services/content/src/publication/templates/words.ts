/** The texts of default templates, besides the words that any page may have. */
export interface TemplateWords {
  /** On the not-found page: possible reasons, and a button to the homepage. */
  notFoundText: string;
  toHome: string;
  /** On the front page of a store without pages. */
  welcomeText: string;
  toProducts: string;
  newProducts: string;
  noProducts: string;
}

const languages: Readonly<Record<string, TemplateWords>> = {
  en: {
    notFoundText:
      'The link may be old, or the address may have a typo. Try a search, or start again from the homepage.',
    toHome: 'Go to the homepage',
    welcomeText: 'Welcome. Take a look around.',
    toProducts: 'Shop now',
    newProducts: 'New in the shop',
    noProducts: 'The first products are on their way.',
  },
  de: {
    notFoundText:
      'Der Link ist vielleicht veraltet, oder die Adresse enthält einen Tippfehler. Suchen Sie danach, oder beginnen Sie auf der Startseite.',
    toHome: 'Zur Startseite',
    welcomeText: 'Willkommen. Sehen Sie sich in Ruhe um.',
    toProducts: 'Jetzt einkaufen',
    newProducts: 'Neu im Shop',
    noProducts: 'Die ersten Produkte sind unterwegs.',
  },
  fr: {
    notFoundText:
      'Le lien est peut-être ancien, ou l’adresse contient une erreur. Faites une recherche ou repartez de l’accueil.',
    toHome: 'Aller à l’accueil',
    welcomeText: 'Bienvenue. Prenez le temps de regarder.',
    toProducts: 'Voir la boutique',
    newProducts: 'Nouveautés',
    noProducts: 'Les premiers produits arrivent bientôt.',
  },
  es: {
    notFoundText:
      'Puede que el enlace sea antiguo o que la dirección tenga un error. Busque lo que necesita o vuelva al inicio.',
    toHome: 'Ir al inicio',
    welcomeText: 'Le damos la bienvenida. Eche un vistazo.',
    toProducts: 'Comprar ahora',
    newProducts: 'Novedades',
    noProducts: 'Los primeros productos llegarán pronto.',
  },
  it: {
    notFoundText:
      'Il link potrebbe essere vecchio o l’indirizzo contenere un errore. Prova a cercare o riparti dalla home.',
    toHome: 'Vai alla home',
    welcomeText: 'Benvenuti. Guardate con calma.',
    toProducts: 'Acquista ora',
    newProducts: 'Novità',
    noProducts: 'I primi prodotti sono in arrivo.',
  },
  nl: {
    notFoundText:
      'De link is misschien verouderd of het adres bevat een typefout. Zoek ernaar of begin opnieuw op de startpagina.',
    toHome: 'Naar de startpagina',
    welcomeText: 'Welkom. Kijk rustig rond.',
    toProducts: 'Nu winkelen',
    newProducts: 'Nieuw in de winkel',
    noProducts: 'De eerste producten zijn onderweg.',
  },
  pt: {
    notFoundText:
      'A ligação pode ser antiga ou o endereço conter um erro. Pesquise ou recomece na página inicial.',
    toHome: 'Ir para a página inicial',
    welcomeText: 'Boas-vindas. Explore à vontade.',
    toProducts: 'Comprar agora',
    newProducts: 'Novidades',
    noProducts: 'Os primeiros produtos estão a caminho.',
  },
};

/** Returns the texts of a language by its BCP 47 tag, or the English ones. */
export function templateWordsIn(tag: string): TemplateWords {
  const language = tag.split('-', 1)[0]!;
  return Object.hasOwn(languages, language) ? languages[language]! : languages.en!;
}
