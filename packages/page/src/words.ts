/** The generated words of a page, by language; English for any other language. */
export interface Words {
  readonly home: string;
  readonly blog: string;
  readonly cart: string;
  readonly search: string;
  readonly previous: string;
  readonly next: string;
  readonly pages: string;
  readonly breadcrumbs: string;
  readonly menu: string;
  readonly nothingFound: string;
  readonly notFound: string;
  /** Label of the language switch. */
  readonly language: string;
  /** Label of a product's quantity. */
  readonly quantity: string;
  readonly close: string;
  /** Label of a link that opens a picture in full size. */
  readonly enlarge: string;
  readonly addToCart: string;
  readonly soldOut: string;
  /** Precedes the choice of a variant. */
  readonly choose: string;
  /** Precedes the lowest of several prices. */
  readonly from: string;
  /** Messages of forms: the form was sent, a field must stay empty, a field is invalid, the form has problems. */
  readonly formSent: string;
  readonly leaveEmpty: string;
  /** Values of boolean fields. */
  readonly yes: string;
  readonly no: string;
  readonly required: string;
  readonly invalid: string;
  readonly checkForm: string;
  /** Names of the months, January first. */
  readonly months: readonly string[];
  /** A date pattern: `D` for the day, `M` for the month's name, `Y` for the year. */
  readonly date: string;
}

const english: Words = {
  home: 'Home',
  blog: 'Blog',
  cart: 'Cart',
  search: 'Search',
  previous: 'Previous',
  next: 'Next',
  pages: 'Pages',
  breadcrumbs: 'Breadcrumbs',
  menu: 'Menu',
  nothingFound: 'Nothing was found.',
  notFound: 'Page not found',
  language: 'Language',
  quantity: 'Quantity',
  close: 'Close',
  enlarge: 'Enlarge picture',
  addToCart: 'Add to cart',
  soldOut: 'Sold out',
  choose: 'Choose',
  from: 'From',
  formSent: 'Thank you. We have received it.',
  leaveEmpty: 'Please leave this field empty',
  yes: 'Yes',
  no: 'No',
  required: 'Please fill this in.',
  invalid: 'Please check what you have entered.',
  checkForm: 'Please check the form',
  months: months('January February March April May June July August September October November December'),
  date: 'M D, Y',
};

const german: Words = {
  home: 'Start',
  blog: 'Blog',
  cart: 'Warenkorb',
  search: 'Suche',
  previous: 'Zurück',
  next: 'Weiter',
  pages: 'Seiten',
  breadcrumbs: 'Navigationspfad',
  menu: 'Menü',
  nothingFound: 'Nichts gefunden.',
  notFound: 'Seite nicht gefunden',
  language: 'Sprache',
  quantity: 'Menge',
  close: 'Schließen',
  enlarge: 'Bild vergrößern',
  addToCart: 'In den Warenkorb',
  soldOut: 'Ausverkauft',
  choose: 'Auswahl',
  from: 'Ab',
  formSent: 'Vielen Dank. Ihre Angaben sind bei uns eingegangen.',
  leaveEmpty: 'Bitte lassen Sie dieses Feld leer',
  yes: 'Ja',
  no: 'Nein',
  required: 'Bitte füllen Sie dieses Feld aus.',
  invalid: 'Bitte prüfen Sie Ihre Eingabe.',
  checkForm: 'Bitte prüfen Sie das Formular',
  months: months('Januar Februar März April Mai Juni Juli August September Oktober November Dezember'),
  date: 'D. M Y',
};

const french: Words = {
  home: 'Accueil',
  blog: 'Blog',
  cart: 'Panier',
  search: 'Recherche',
  previous: 'Précédent',
  next: 'Suivant',
  pages: 'Pages',
  breadcrumbs: 'Fil d’Ariane',
  menu: 'Menu',
  nothingFound: 'Aucun résultat.',
  notFound: 'Page introuvable',
  language: 'Langue',
  quantity: 'Quantité',
  close: 'Fermer',
  enlarge: 'Agrandir l’image',
  addToCart: 'Ajouter au panier',
  soldOut: 'Épuisé',
  choose: 'Choisir',
  from: 'Dès',
  formSent: 'Merci. Nous l’avons bien reçu.',
  leaveEmpty: 'Veuillez laisser ce champ vide',
  yes: 'Oui',
  no: 'Non',
  required: 'Veuillez remplir ce champ.',
  invalid: 'Veuillez vérifier votre saisie.',
  checkForm: 'Veuillez vérifier le formulaire',
  months: months('janvier février mars avril mai juin juillet août septembre octobre novembre décembre'),
  date: 'D M Y',
};

const spanish: Words = {
  home: 'Inicio',
  blog: 'Blog',
  cart: 'Carrito',
  search: 'Buscar',
  previous: 'Anterior',
  next: 'Siguiente',
  pages: 'Páginas',
  breadcrumbs: 'Ruta',
  menu: 'Menú',
  nothingFound: 'No se encontró nada.',
  notFound: 'Página no encontrada',
  language: 'Idioma',
  quantity: 'Cantidad',
  close: 'Cerrar',
  enlarge: 'Ampliar imagen',
  addToCart: 'Añadir al carrito',
  soldOut: 'Agotado',
  choose: 'Elegir',
  from: 'Desde',
  formSent: 'Gracias. Lo hemos recibido.',
  leaveEmpty: 'Deja este campo vacío',
  yes: 'Sí',
  no: 'No',
  required: 'Rellena este campo.',
  invalid: 'Comprueba lo que has escrito.',
  checkForm: 'Comprueba el formulario',
  months: months('enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'),
  date: 'D de M de Y',
};

const italian: Words = {
  home: 'Home',
  blog: 'Blog',
  cart: 'Carrello',
  search: 'Cerca',
  previous: 'Precedente',
  next: 'Successiva',
  pages: 'Pagine',
  breadcrumbs: 'Percorso',
  menu: 'Menu',
  nothingFound: 'Nessun risultato.',
  notFound: 'Pagina non trovata',
  language: 'Lingua',
  quantity: 'Quantità',
  close: 'Chiudi',
  enlarge: 'Ingrandisci immagine',
  addToCart: 'Aggiungi al carrello',
  soldOut: 'Esaurito',
  choose: 'Scegli',
  from: 'Da',
  formSent: 'Grazie. Abbiamo ricevuto il messaggio.',
  leaveEmpty: 'Lascia vuoto questo campo',
  yes: 'Sì',
  no: 'No',
  required: 'Compila questo campo.',
  invalid: 'Controlla i dati inseriti.',
  checkForm: 'Controlla il modulo',
  months: months(
    'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
  ),
  date: 'D M Y',
};

const dutch: Words = {
  home: 'Home',
  blog: 'Blog',
  cart: 'Winkelwagen',
  search: 'Zoeken',
  previous: 'Vorige',
  next: 'Volgende',
  pages: 'Pagina’s',
  breadcrumbs: 'Kruimelpad',
  menu: 'Menu',
  nothingFound: 'Niets gevonden.',
  notFound: 'Pagina niet gevonden',
  language: 'Taal',
  quantity: 'Aantal',
  close: 'Sluiten',
  enlarge: 'Afbeelding vergroten',
  addToCart: 'In winkelwagen',
  soldOut: 'Uitverkocht',
  choose: 'Kies',
  from: 'Vanaf',
  formSent: 'Bedankt. We hebben het ontvangen.',
  leaveEmpty: 'Laat dit veld leeg',
  yes: 'Ja',
  no: 'Nee',
  required: 'Vul dit veld in.',
  invalid: 'Controleer wat je hebt ingevuld.',
  checkForm: 'Controleer het formulier',
  months: months('januari februari maart april mei juni juli augustus september oktober november december'),
  date: 'D M Y',
};

const portuguese: Words = {
  home: 'Início',
  blog: 'Blog',
  cart: 'Carrinho',
  search: 'Pesquisar',
  previous: 'Anterior',
  next: 'Próxima',
  pages: 'Páginas',
  breadcrumbs: 'Caminho',
  menu: 'Menu',
  nothingFound: 'Nada encontrado.',
  notFound: 'Página não encontrada',
  language: 'Idioma',
  quantity: 'Quantidade',
  close: 'Fechar',
  enlarge: 'Ampliar imagem',
  addToCart: 'Adicionar ao carrinho',
  soldOut: 'Esgotado',
  choose: 'Escolher',
  from: 'A partir de',
  formSent: 'Obrigado. Recebemos a mensagem.',
  leaveEmpty: 'Deixe este campo vazio',
  yes: 'Sim',
  no: 'Não',
  required: 'Preencha este campo.',
  invalid: 'Verifique o que escreveu.',
  checkForm: 'Verifique o formulário',
  months: months('janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'),
  date: 'D de M de Y',
};

const languages: Readonly<Record<string, Words>> = {
  en: english,
  'en-GB': { ...english, date: 'D M Y' },
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  nl: dutch,
  pt: portuguese,
};

function months(names: string): readonly string[] {
  return names.split(' ');
}

/** Returns the words for a BCP 47 tag: those of the tag itself, else of its language. */
export function getWords(tag = 'en'): Words {
  const found = [tag, tag.split('-', 1)[0]!].find((each) => Object.hasOwn(languages, each));
  return found === undefined ? english : languages[found]!;
}

/**
 * Formats the day of a timestamp (RFC 3339, UTC): `November 20, 2026`, `20. November 2026`. Uses a table of our own,
 * because `Intl` differs between engines and their versions. Returns '' for an invalid timestamp.
 */
export function formatDate(timestamp: string, tag?: string): string {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)T/.exec(timestamp) ?? [];
  const { months, date } = getWords(tag);
  const name = months[Number(month) - 1];
  if (!year || !day || name === undefined) return '';
  const parts: Readonly<Record<string, string>> = { D: String(Number(day)), M: name, Y: year };
  return date.replace(/[DMY]/g, (part) => parts[part]!);
}
