import type english from '../en/api-keys.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  title: 'API-Schlüssel',
  subtitle: 'Mit API-Schlüsseln verbinden Sie eigene Apps und Skripte mit diesem Shop.',
  new: 'Neuer Schlüssel',
  empty: 'Noch keine Schlüssel',
  emptyHint: 'Legen Sie für jede App einen eigenen Schlüssel an, damit Sie ihn einzeln widerrufen können.',
  count: '{count, plural, one {# Schlüssel} other {# Schlüssel}}',
  scopes: 'Zugriff',
  lastUsed: 'Zuletzt benutzt',
  never: 'Nie',
  revoked: 'Widerrufen',
  revoke: 'Widerrufen',
  revokeTitle: '„{name}“ widerrufen?',
  revokeHint:
    'Apps mit diesem Schlüssel verlieren sofort den Zugriff. Das lässt sich nicht rückgängig machen.',
  revokedDone: 'Schlüssel widerrufen',
  nameHint: 'Zum Beispiel Buchhaltung oder Onlineshop',
  rights: 'Berechtigungen',
  rightsHint:
    'Erlauben Sie nur, was nötig ist. Ein Schlüssel darf nie mehr als das Mitglied, das ihn angelegt hat.',
  readAndWrite: 'lesen und ändern',
  readOnly: 'lesen',
  writeOnly: 'ändern',
  readAll: 'Alles lesen',
  everything: 'Alles',
  nothing: 'Nichts',
  everythingShort: 'Alles',
  scopeOf: '{domain}: {rights}',
  created: 'Schlüssel angelegt',
  secretTitle: 'Ihr neuer API-Schlüssel',
  secretWarning:
    'Kopieren Sie ihn jetzt: Er wird nicht noch einmal angezeigt. Wer ihn hat, kann auf Ihren Shop zugreifen; er gehört nicht in Webseiten oder Repositorys.',
  secretUse: 'Senden Sie ihn mit jeder Anfrage:',
  secretDone: 'Ich habe ihn gespeichert',
};

export default words;
