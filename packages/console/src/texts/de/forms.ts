import type english from '../en/forms.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  title: 'Formulare',
  count: 'Einsendungen: {count, number}',
  form: 'Formular',
  anyForm: 'Alle Formulare',
  sent: 'Gesendet',
  values: 'Einsendung',
  another: '{name}, Formular {number}',
  gone: 'einer gelöschten Seite',
  nothing: 'Die Daten dieser Einsendung wurden gelöscht.',
  empty: 'Noch keine Einsendungen',
  emptyHint:
    'Einsendungen aus Formularen Ihrer Seiten erscheinen hier. Fügen Sie im Editor ein Formular in eine Seite ein und veröffentlichen Sie sie.',
  toPages: 'Zu den Seiten',
  submission: 'Einsendung von {name}',
  facts: 'Details',
  place: 'Seite',
  ofForm: 'Alle Einsendungen dieses Formulars',
  delete: 'Löschen …',
  deleteTitle: 'Diese Einsendung löschen?',
  deleteHint: 'Das lässt sich nicht rückgängig machen. Apps und das Ereignisprotokoll behalten ihre Kopien.',
  deleteDeed: 'Einsendung löschen',
  deleted: 'Einsendung gelöscht',

  export: 'Als CSV exportieren',
  exportFiltered: 'Exportiert nur Einsendungen des gewählten Formulars.',
  exported: 'Exportierte Einsendungen: {count, number}',
  reading: 'Einsendungen werden gelesen',
  resume: 'Fortsetzen',
  columns: { id: 'Kennung', sent: 'Gesendet', form: 'Formular', page: 'Seite' },
};

export default words;
