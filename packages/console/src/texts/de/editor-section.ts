import type english from '../en/editor-section.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  used: '{others, plural, =0 {Auf {pages, plural, one {# Seite} other {# Seiten}} verwendet} other {Auf {pages, plural, one {# Seite} other {# Seiten}} und in # weiteren verwendet}}',
  usedHint: 'Ihre Änderungen gehen auf jeder mit dem nächsten Veröffentlichen online.',
  left: 'Wieder auf der Seite',
  notSaved: 'Der Abschnitt bleibt offen, bis Ihre Änderungen gespeichert sind.',
};

export default words;
