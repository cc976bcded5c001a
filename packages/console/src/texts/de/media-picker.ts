import type english from '../en/media-picker.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  search: 'Dateiname',
  empty: 'Noch keine Dateien',
  emptyHint: 'Hochgeladene Dateien erscheinen hier.',
  more: 'Mehr anzeigen',
  take: '{count, number} auswählen',
  takeOne: 'Auswählen',
};

export default words;
