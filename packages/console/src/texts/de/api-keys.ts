import type { ApiKeyWords } from '../en/api-keys.ts';
import { plural } from '../texts.ts';

const words: ApiKeyWords = {
  title: 'API-Schlüssel',
  subtitle: 'Mit einem Schlüssel liest und ändert Ihr Programm diesen Shop, so weit der Schlüssel reicht.',
  new: 'Neuer Schlüssel',
  empty: 'Noch keine Schlüssel',
  emptyHint: 'Erzeugen Sie einen für jedes Programm, das Sie anbinden; so lässt sich jeder für sich beenden.',
  count: (count) => plural('de', count, { one: 'Schlüssel', other: 'Schlüssel' }),
  scopes: 'Darf',
  lastUsed: 'Zuletzt benutzt',
  never: 'Nie',
  revoked: 'Widerrufen',
  revoke: 'Widerrufen',
  revokeTitle: (name) => `„${name}“ widerrufen?`,
  revokeHint:
    'Was ihn benutzt, wird ab der nächsten Anfrage abgewiesen. Das lässt sich nicht zurücknehmen; ein neuer Schlüssel kann an seine Stelle treten.',
  revokedDone: 'Der Schlüssel gilt nicht mehr.',
  nameHint: 'Was ihn benutzt: „Buchhaltung“, „Schaufenster“.',
  rights: 'Was er darf',
  rightsHint: 'Geben Sie ihm nur, was er braucht. Ein Schlüssel darf nie mehr als der, der ihn erzeugt hat.',
  readAndWrite: 'lesen und ändern',
  readOnly: 'lesen',
  writeOnly: 'ändern',
  readAll: 'Alles lesen',
  everything: 'Alles',
  nothing: 'Nichts',
  everythingShort: 'Alles',
  scopeOf: (domain, rights) => `${domain}: ${rights}`,
  created: 'Der Schlüssel ist da.',
  secretTitle: 'Ihr neuer Schlüssel',
  secretWarning:
    'Bewahren Sie ihn jetzt auf: Er wird nicht noch einmal gezeigt. Wer ihn hat, darf in diesem Shop, was der Schlüssel darf; er gehört in keine Seite und kein Repository.',
  secretUse: 'Er wird mit jeder Anfrage gesendet, so:',
  secretDone: 'Ich habe ihn aufbewahrt',
};

export default words;
