import type { MediaPickerWords } from '../en/media-picker.ts';

const words: MediaPickerWords = {
  search: 'Dateiname',
  empty: 'Noch keine Dateien',
  emptyHint: 'Hochgeladene Dateien erscheinen hier.',
  more: 'Mehr anzeigen',
  take: (count) => `${count} auswählen`,
  takeOne: 'Auswählen',
};

export default words;
