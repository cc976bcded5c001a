import type { MediaPickerWords } from '../en/media-picker.ts';

const words: MediaPickerWords = {
  search: 'Dateiname',
  empty: 'Die Mediathek ist leer',
  emptyHint: 'Laden Sie zuerst etwas hoch; was hochgeladen wurde, steht hier.',
  more: 'Mehr zeigen',
  take: (count) => `${count} übernehmen`,
  takeOne: 'Übernehmen',
};

export default words;
