import type { PageFrameWords } from '../en/page-frame.ts';

const words: PageFrameWords = {
  device: 'Vorschaugröße',
  devices: { fit: 'Eingepasst', desktop: 'Desktop', tablet: 'Tablet', phone: 'Telefon' },
  problems: 'Probleme auf dieser Seite',
  previewOf: (name: string) => `Vorschau: ${name}`,
  present: 'Zuletzt gespeicherte Version',
  earlier: (at: string) => `Version vom ${at}`,
  earlierUnknown: 'Frühere Version',
  hint: 'Was Besucher nach dem Veröffentlichen sehen. Links und Skripte von Apps funktionieren in dieser Vorschau nicht.',
};

export default words;
