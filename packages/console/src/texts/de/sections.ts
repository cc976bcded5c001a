import type { SectionWords } from '../en/sections.ts';

const words: SectionWords = {
  title: 'Abschnitte',
  hint: 'Teile von Seiten, die an einer Stelle gepflegt werden: Kopf, Fuß, Hinweis.',
  empty: 'Noch keine Abschnitte',
  emptyHint: 'Ein Abschnitt steht auf mehreren Seiten und ändert sich auf allen zugleich.',
  count: (count) => `Abschnitte: ${count}`,
  section: 'Abschnitt',
  savedAt: 'Zuletzt gespeichert',
  delete: 'Abschnitt löschen',
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteHint:
    'Löschen lässt sich nur ein Abschnitt, den nichts enthält. Das lässt sich nicht rückgängig machen.',
  held: 'Er wird noch verwendet:',
  deleted: 'Der Abschnitt ist gelöscht.',
  facts: 'Fakten',
  elementsTitle: 'Elemente',
  history: 'Verlauf',
  historyHint: 'Jedes Speichern, und jede Veröffentlichung einer Seite, die ihn enthält.',
  kinds: { draft: 'Gespeichert', published: 'Veröffentlicht' },
  by: (name) => `von ${name}`,
  elements: (count) => `Elemente: ${count}`,
  restore: 'Wiederherstellen',
  restoreLabel: (at) => `Wiederherstellen: der Stand vom ${at}`,
  restoreTitle: 'Diesen Stand wiederherstellen?',
  restoreHint: (at) =>
    `Was am ${at} gespeichert wurde, wird zum Abschnitt. Besucher sehen es, wenn eine Seite, die ihn enthält, das nächste Mal veröffentlicht wird; der jetzige Stand bleibt im Verlauf.`,
  restored: 'Wiederhergestellt.',
  preview: 'Vorschau',
  look: 'Ansehen',
  lookLabel: (at: string) => `Ansehen: der Stand vom ${at}`,
  previewOf: (name: string) => `Vorschau: ${name}`,
  present: 'Wie zuletzt gespeichert',
  earlier: (at: string) => `Wie am ${at}`,
  earlierUnknown: 'Wie damals',
  previewHint:
    'Was Besucher nach einer Veröffentlichung jetzt sehen würden. Links führen hier nirgendwohin, und Skripte von Apps laufen nicht.',
};

export default words;
