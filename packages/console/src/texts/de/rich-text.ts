import type { RichTextWords } from '../en/rich-text.ts';

const words: RichTextWords = {
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
  setLink: 'Link setzen',
  removeLink: 'Link entfernen',
  linksToThing: 'Führt zu einer Seite oder einem Produkt. Eine neue Adresse ersetzt das.',
  html: 'HTML',
  htmlOf: (field) => `${field} als HTML`,
  asHtml: 'Als HTML bearbeitet; was schaden könnte, wird entfernt.',
  onlyHtml: 'Enthält HTML, das sich nur als solches bearbeiten lässt; was schaden könnte, wird entfernt.',
};
export default words;
