import type { PageFrameWords } from '../en/page-frame.ts';

const words: PageFrameWords = {
  device: 'Ansehen auf',
  devices: { fit: 'Eingepasst', desktop: 'Desktop', tablet: 'Tablet', phone: 'Telefon' },
  problems: 'Was nicht so erscheint, wie es angelegt ist',
  previewOf: (name: string) => `Vorschau: ${name}`,
  present: 'Wie zuletzt gespeichert',
  earlier: (at: string) => `Wie am ${at}`,
  earlierUnknown: 'Wie damals',
  hint: 'Was Besucher nach einer Veröffentlichung jetzt sehen würden. Links führen hier nirgendwohin, und Skripte von Apps laufen nicht.',
};

export default words;
