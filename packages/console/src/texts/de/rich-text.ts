import type english from '../en/rich-text.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  bar: 'Text',
  bold: 'Fett',
  italic: 'Kursiv',
  underline: 'Unterstrichen',
  strike: 'Durchgestrichen',
  code: 'Code',
  paragraph: 'Absatz',
  heading2: 'Überschrift',
  heading3: 'Kleine Überschrift',
  bulletList: 'Liste',
  orderedList: 'Nummerierte Liste',
  blockquote: 'Zitat',
  link: 'Link',
  address: 'Adresse',
  findLink: 'Seiten, Produkte und Artikel',
  linkKinds: { page: 'Seite', product: 'Produkt', article: 'Artikel' },
  nothingFound: 'Nichts gefunden',
  setLink: 'Link setzen',
  removeLink: 'Link entfernen',
  linksToThing: 'Führt zu einer Seite oder einem Produkt. Geben Sie eine Adresse ein, um das zu ersetzen.',
  html: 'HTML',
  htmlOf: '{field} als HTML',
  asHtml: 'HTML. Unsicherer Code wird entfernt.',
  onlyHtml: 'Dieser Text lässt sich nur als HTML bearbeiten. Unsicherer Code wird entfernt.',
};
export default words;
