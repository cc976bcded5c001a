import type english from '../en/sections.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  title: 'Abschnitte',
  hint: 'Wiederverwendbare Teile von Seiten, etwa ein Hinweis. Einmal ändern, überall aktuell.',
  empty: 'Noch keine Abschnitte',
  emptyHint: 'Legen Sie im Seiten-Editor einen Abschnitt an, um ihn auf mehreren Seiten zu verwenden.',
  count: 'Abschnitte: {count, number}',
  section: 'Abschnitt',
  savedAt: 'Zuletzt gespeichert',
  delete: 'Abschnitt löschen',
  deleteTitle: '„{name}“ löschen?',
  deleteHint: 'Nur unbenutzte Abschnitte lassen sich löschen. Das lässt sich nicht rückgängig machen.',
  held: 'Dieser Abschnitt wird noch verwendet:',
  deleted: 'Abschnitt gelöscht',
  facts: 'Details',
  elementsTitle: 'Elemente',
  history: 'Verlauf',
  historyHint: 'Jedes Speichern und jede Veröffentlichung einer Seite, die ihn verwendet.',
  kinds: { draft: 'Gespeichert', published: 'Veröffentlicht' },
  by: 'von {name}',
  elements: 'Elemente: {count, number}',
  restore: 'Wiederherstellen',
  restoreLabel: 'Version vom {at} wiederherstellen',
  restoreTitle: 'Diese Version wiederherstellen?',
  restoreHint:
    'Die Version vom {at} wird die aktuelle. Besucher sehen sie, sobald eine Seite, die ihn verwendet, veröffentlicht wird. Die jetzige Version bleibt im Verlauf.',
  restored: 'Version wiederhergestellt',
  preview: 'Vorschau',
  look: 'Ansehen',
  lookLabel: 'Version vom {at} ansehen',

  usage: 'Verwendet auf',
  usageOf: 'An {count, plural, one {# Stelle} other {# Stellen}} verwendet',
  unused: 'Auf keiner Seite verwendet.',
  live: 'Live',
};

export default words;
