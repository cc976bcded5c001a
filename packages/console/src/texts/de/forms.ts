import type { FormWords } from '../en/forms.ts';

const words: FormWords = {
  title: 'Formulare',
  count: (count) => `Einsendungen: ${count}`,
  form: 'Formular',
  anyForm: 'Alle Formulare',
  sent: 'Gesendet',
  values: 'Was gesendet wurde',
  another: (name, number) => `${name}, Formular ${number}`,
  gone: 'etwas, das gelöscht wurde',
  nothing: 'Nichts: Es wurde getilgt.',
  empty: 'Noch hat niemand etwas gesendet',
  emptyHint:
    'Hier erscheint, was Besucher über die Formulare Ihrer Seiten senden. Setzen Sie im Editor ein Formular auf eine Seite und veröffentlichen Sie sie.',
  toPages: 'Zu den Seiten',
  submission: (name) => `Gesendet von ${name}`,
  facts: 'Angaben',
  place: 'Wo das Formular steht',
  ofForm: 'Alles, was über dieses Formular kam',
  delete: 'Löschen …',
  deleteTitle: 'Diese Einsendung löschen?',
  deleteHint:
    'Es gibt kein Zurück. Apps, die davon erfahren haben, und das Ereignisprotokoll behalten, was sie haben.',
  deleteDeed: 'Einsendung löschen',
  deleted: 'Die Einsendung ist gelöscht.',

  export: 'Als CSV exportieren',
  exportFiltered: 'Nur was über das gewählte Formular kam, wird geschrieben.',
  exported: (count) => `Geschrieben: ${count} Einsendungen. Die Datei liegt in Ihren Downloads.`,
  reading: 'Einsendungen werden gelesen',
  goOn: 'Weiter',
  columns: { id: 'Kennung', sent: 'Gesendet', form: 'Formular', page: 'Seite' },
};

export default words;
