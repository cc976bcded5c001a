import type english from '../en/editor-samples.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  heading: 'Überschrift',
  text: 'Schreiben Sie hier etwas.',
  item: 'Punkt',
  button: 'Schaltfläche',
  link: 'Link',
  name: 'Name',
  email: 'E-Mail',
  message: 'Nachricht',
  send: 'Senden',
  points: 'Warum bei uns kaufen',
  point: 'Ein guter Grund',
  product: 'Produktname',
  price: 'Preis',
  welcome: 'Willkommen',
  lead: 'Sagen Sie in einem Satz, was Sie wem verkaufen.',
  shopNow: 'Jetzt einkaufen',
  readMore: 'Weiterlesen',
  pictureAlt: 'Was das Bild zeigt',
  favourites: 'Lieblinge',
  quote: 'Was eine Kundin über Sie sagt.',
  quoted: 'Eine Kundin',
  writeToUs: 'Schreiben Sie uns',
};

export default words;
