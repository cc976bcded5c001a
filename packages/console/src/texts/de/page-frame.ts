import type { PageFrameWords } from '../en/page-frame.ts';

const words: PageFrameWords = {
  device: 'Ansehen auf',
  devices: { fit: 'Eingepasst', desktop: 'Desktop', tablet: 'Tablet', phone: 'Telefon' },
  problems: 'Was nicht so erscheint, wie es angelegt ist',
};

export default words;
