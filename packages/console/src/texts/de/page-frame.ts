import type english from '../en/page-frame.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  device: 'Vorschaugröße',
  devices: { fit: 'Eingepasst', desktop: 'Desktop', tablet: 'Tablet', phone: 'Telefon' },
  problems: 'Probleme auf dieser Seite',
  previewOf: 'Vorschau: {name}',
  present: 'Zuletzt gespeicherte Version',
  earlier: 'Version vom {at}',
  earlierUnknown: 'Frühere Version',
  hint: 'Was Besucher nach dem Veröffentlichen sehen. Links und Skripte von Apps funktionieren in dieser Vorschau nicht.',
};

export default words;
