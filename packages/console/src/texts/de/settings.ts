import type { SettingsWords } from '../en/settings.ts';

const words: SettingsWords = {
  title: 'Einstellungen des Shops',
  basics: 'Shop',
  name: 'Name',
  slug: 'Adresse',
  slugHint: 'Teil der Adresse, unter der Besucher den Shop finden, und jedes Links dorthin.',
  slugWarning: (old) =>
    `„${old}“ bleibt bei diesem Shop: Links, Lesezeichen und Suchergebnisse damit führen zur neuen Adresse.`,
  currency: 'Währung',
  currencyWarning:
    'Preise behalten ihre Zahlen und stehen dann in der neuen Währung; nichts wird umgerechnet. Bestellungen behalten die ihre.',
  languages: 'Sprachen',
  languagesHint:
    'In welchen Sprachen Besucher den Shop finden. Die erste ist die, in der er geschrieben ist.',
  automatic: 'Den Übersetzungen folgen',
  automaticHint: 'Englisch zuerst, dann jede Sprache, die Übersetzungen hat, zusammen höchstens 20.',
  chosen: 'Diese',
  chosenHint: 'In dieser Reihenfolge.',
  writtenIn: 'Darin geschrieben',
  addLanguage: 'Sprache hinzufügen',
  addLanguagePlaceholder: 'Wählen …',
  moveUp: (language) => `${language} nach oben`,
  removeLanguage: (language) => `${language} entfernen`,
  checkout: 'Kasse',
  maxQuantity: 'Höchstens so viele Stück einer Variante in einer Bestellung',
  expiresManual: 'Unbezahlte Bestellungen automatisch stornieren',
  expireDays: 'Nach so vielen Tagen',
  expires: 'Bestellungen stornieren, deren Online-Zahlung nicht abgeschlossen wird',
  expireMinutes: 'Nach so vielen Minuten',
  expireHint:
    'Sie werden storniert und ihr Bestand geht zurück; auch Bestellungen von vor dieser Einstellung.',
  expireProviderHint: 'Gilt, sobald der Shop Online-Zahlungen annimmt.',
  domains: 'Eigene Domains',
  domainsHint: 'Wo Besucher den Shop finden, neben seiner Adresse hier.',
  domainStates: { pending: 'Wartet auf DNS', active: 'Aktiv' },
  domainRecord:
    'Legen Sie diesen TXT-Eintrag an, wo die Domain verwaltet wird, und lassen Sie den Namen auf dieses System zeigen. Nach ihm wird dreimal je Minute gesucht; behalten Sie ihn auch danach.',
  recordName: 'Name des Eintrags',
  recordValue: 'Sein Wert',
  hostname: 'Domain',
  hostnameHint: 'Zum Beispiel shop.example.com.',
  addDomain: 'Domain hinzufügen',
  domainAdded: 'Hinzugefügt. Legen Sie jetzt den DNS-Eintrag an.',
  domainTaken: 'Dieser Name ist vergeben: Ein Shop wird dort gezeigt oder wartet auf ihn.',
  removeDomain: (hostname) => `${hostname} entfernen`,
  removeDomainHint: 'Nach Sekunden ist der Shop dort nicht mehr zu sehen. Links dorthin enden.',
  domainRemoved: 'Entfernt.',
  saved: 'Gespeichert.',
  mails: 'E-Mails an Sie',
  orderMails: 'Jede neue Bestellung per E-Mail melden',
  orderMailsHint:
    'An Ihre Adresse, sobald sie bestätigt ist, höchstens 60 in der Stunde. Andere wählen für sich selbst.',
  facts: 'Angaben',
  readOnly: (role) => `Sie sehen das als ${role}. Admins und Inhaber können es ändern.`,
  members: 'Diesen Shop verlassen',
  membersHint:
    'Unter Mitglieder, im Menü neben Ihrem Namen. Ein Shop schließt, wenn sein einziges Mitglied das Konto löscht.',
};

export default words;
