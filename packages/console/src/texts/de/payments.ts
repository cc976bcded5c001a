import type { PaymentWords } from '../en/payments.ts';
import { plural } from '../texts.ts';

const words: PaymentWords = {
  title: 'Zahlungen',
  titleHint: 'Alle Zahlungen Ihrer Bestellungen, die neueste zuerst.',
  methods: 'Zahlungsarten',
  methodsHint: 'Was Kunden an der Kasse wählen können. Ziehen Sie sie in die richtige Reihenfolge.',
  count: (count) => plural('de', count, { one: 'Zahlung', other: 'Zahlungen' }),
  empty: 'Noch keine Zahlungen',
  emptyHint:
    'Hier erscheinen die Zahlungen von Bestellungen, ob über einen Anbieter oder von Hand eingetragen.',
  date: 'Datum',
  way: 'Bezahlt mit',
  reference: 'Referenz',
  amount: 'Betrag',
  lessRefunded: (amount) => `(${amount} erstattet)`,
  anyState: 'Jeder Status',
  since: 'Von',
  until: 'Bis',
  report: 'Bericht',
  reportHint: 'Einnahmen und Erstattungen nach Tag und Zahlungsart.',
  sums: 'In diesem Zeitraum',
  captured: 'Eingenommen',
  refunded: 'Erstattet',
  disputed: 'Angefochten',
  net: 'Eingenommen abzüglich Erstattungen',
  byHand: 'Von Hand erfasst',
  noTakings: 'Nichts in diesem Zeitraum',
  noTakingsHint: 'Tage, an denen kein Geld floss, fehlen.',
  reconciliation: 'Abgleich',
  reconciliationHint:
    'Zahlungen der letzten 30 Tage, bei denen Waybill und der Zahlungsanbieter voneinander abweichen.',
  order: 'Bestellung',
  orderNumber: (number) => `Bestellung ${number}`,
  here: 'In Waybill',
  there: 'Beim Anbieter',
  difference: 'Unterschied',
  compareAgain: 'Neu abgleichen',
  differences: (count) =>
    plural('de', count, {
      one: 'Zahlung weicht ab. Suchen Sie sie beim Anbieter unter ihrer Referenz.',
      other: 'Zahlungen weichen ab. Suchen Sie sie beim Anbieter unter ihren Referenzen.',
    }),
  noDifferences: 'Alles stimmt überein',
  noDifferencesHint: 'Was eingenommen und erstattet wurde, ist hier und beim Anbieter gleich.',
  checkedAt: (time) => `Abgeglichen ${time}. Höchstens einmal in der Minute.`,
  providerSilent: 'Noch kein Abgleich möglich',
  providerSilentHint: 'Der Zahlungsanbieter antwortet gerade nicht. Versuchen Sie es gleich noch einmal.',

  testMode: 'Testmodus: kein echtes Geld',
  testModeHint:
    'Zahlungen sehen echt aus, aber niemand wird belastet. Wechseln Sie vor dem Verkauf zu einem Live-Schlüssel.',

  newMethod: 'Zahlungsart hinzufügen',
  noMethods: 'Noch keine Zahlungsarten',
  noMethodsHint: 'Ohne Zahlungsart gehen Bestellungen unbezahlt ein, und Sie regeln die Bezahlung selbst.',
  noneEnabled: 'Keine Zahlungsart ist eingeschaltet: Bestellungen gehen unbezahlt ein.',
  enabled: 'An',
  enabledHint: 'An der Kasse anbieten',
  saved: 'Zahlungsart gespeichert',
  created: 'Zahlungsart hinzugefügt',
  deleted: 'Zahlungsart gelöscht',
  deleteTitle: (name) => `${name} löschen?`,
  deleteHint: 'Kunden können sie nicht mehr wählen. Begonnene Zahlungen werden abgeschlossen.',
  choose: (kind) => `${kind} hinzufügen`,
  kinds: {
    stripe: {
      title: 'Stripe',
      hint: 'Karten, Wallets und lokale Zahlungsarten. Kunden bezahlen auf einer Seite von Stripe und kommen in Ihren Shop zurück.',
      name: 'Karte',
      instructions: '',
    },
    transfer: {
      title: 'Überweisung',
      hint: 'Kunden überweisen das Geld. Sie bestätigen den Eingang.',
      name: 'Überweisung',
      instructions:
        'Bitte überweisen Sie den Betrag auf das folgende Konto und geben Sie die Bestellnummer an.',
    },
    delivery: {
      title: 'Nachnahme',
      hint: 'Das Geld wird bei der Lieferung eingezogen.',
      name: 'Nachnahme',
      instructions: 'Bitte halten Sie bei der Lieferung den passenden Betrag bereit.',
    },
    invoice: {
      title: 'Rechnung',
      hint: 'Sie schicken eine Rechnung, und Kunden bezahlen sie später.',
      name: 'Rechnung',
      instructions:
        'Sie erhalten mit der Bestellung eine Rechnung. Bitte bezahlen Sie sie innerhalb von 14 Tagen.',
    },
  },
  shown: 'An der Kasse',
  nameHint: 'Was Kunden sehen, wenn sie wählen, wie sie bezahlen.',
  instructions: 'Hinweise',
  instructionsHint: 'Werden bei der Auswahl und mit der Bestellung angezeigt.',
  secretKey: 'Geheimer Schlüssel',
  secretKeyHint:
    'Aus dem Stripe-Dashboard unter Entwickler → API-Schlüssel. Eingeschränkte Schlüssel gehen auch. Ein Testschlüssel ergibt eine Test-Zahlungsart.',
  secretKeyStored: 'Ein Schlüssel ist gespeichert. Lassen Sie das Feld leer, um ihn zu behalten.',
  noEvents: 'Stripe sendet noch keine Ereignisse',
  noEventsHint:
    'Waybill konnte seine Adresse nicht bei Stripe eintragen. Zahlungen werden trotzdem gefunden, etwas später. Damit Sie sofort davon erfahren, tragen Sie diese Adresse im Stripe-Dashboard als Webhook ein und geben Sie hier dessen Signaturschlüssel an.',
  webhookSecret: 'Signaturschlüssel',
  capture: 'Einzug',
  captureHint: 'Wann das Geld eingezogen wird.',
  captures: { automatic: 'Mit der Bestellung', manual: 'Von Hand, auf der Seite der Bestellung' },
  conditions: 'Wann sie angeboten wird',
  everyCountry: 'Kunden in allen Ländern können sie wählen.',
  countriesHint: 'Nur Kunden in diesen Ländern können sie wählen.',
  addCountry: 'Land hinzufügen',
  removeCountry: 'Entfernen:',
  minimumCents: 'Kleinste Bestellsumme',
  maximumCents: 'Größte Bestellsumme',
};

export default words;
