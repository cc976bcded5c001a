import type { HomeWords } from '../en/home.ts';
import { plural } from '../texts.ts';

const words: HomeWords = {
  title: 'Start',
  ordersToday: 'Bestellungen heute',
  salesToday: 'Umsatz heute',
  last30: 'Letzte 30 Tage',
  sales: 'Umsatz',
  orders: 'Bestellungen',
  average: 'Ø Bestellwert',
  refunded: 'Erstattet',
  compared: (change) => `${change} zu den 30 Tagen davor`,
  chart: (total, days) => `Umsatz der letzten ${days} Tage: ${total}`,
  noChart: 'Kein Umsatz in den letzten 30 Tagen',
  noChartHint: 'Umsätze erscheinen hier, sobald Bestellungen eingehen.',
  recentOrders: 'Neueste Bestellungen',
  noOrders: 'Noch keine Bestellungen',
  allOrders: 'Alle anzeigen',
  orderNumber: (number) => `#${number}`,
  fulfillments: {
    unfulfilled: 'Nicht versandt',
    partially_fulfilled: 'Teilweise versandt',
    fulfilled: 'Versandt',
    returned: 'Zurückgesandt',
  },
  cancelled: 'Storniert',
  topProducts: 'Bestseller',
  noSales: 'Keine Verkäufe in den letzten 30 Tagen.',
  sold: (count) => `${count} verkauft`,
  attention: 'Zu erledigen',
  nothing: 'Alles erledigt.',
  tasks: {
    toFulfill: (count) =>
      plural('de', count, {
        one: 'bezahlte Bestellung zu versenden',
        other: 'bezahlte Bestellungen zu versenden',
      }),
    toCapture: (count) =>
      plural('de', count, {
        one: 'autorisierte Bestellung zu versenden',
        other: 'autorisierte Bestellungen zu versenden',
      }),
    unpaid: (count) =>
      plural('de', count, {
        one: 'unbezahlte Bestellung nicht versandt',
        other: 'unbezahlte Bestellungen nicht versandt',
      }),
    toFinish: (count) =>
      plural('de', count, {
        one: 'teilweise versandte Bestellung',
        other: 'teilweise versandte Bestellungen',
      }),
    returnsAsked: (count) =>
      plural('de', count, { one: 'Rücksendung zu beantworten', other: 'Rücksendungen zu beantworten' }),
    returnsBack: (count) =>
      plural('de', count, {
        one: 'eingetroffene Rücksendung zu erstatten oder abzuschließen',
        other: 'eingetroffene Rücksendungen zu erstatten oder abzuschließen',
      }),
    toRefund: (count) =>
      plural('de', count, {
        one: 'stornierte Bestellung zu erstatten',
        other: 'stornierte Bestellungen zu erstatten',
      }),
    failed: (count) =>
      plural('de', count, {
        one: 'fehlgeschlagene Zahlung in den letzten 7 Tagen',
        other: 'fehlgeschlagene Zahlungen in den letzten 7 Tagen',
      }),
    disputed: (count) =>
      plural('de', count, { one: 'angefochtene Zahlung', other: 'angefochtene Zahlungen' }),
  },
  failingEndpoint: (url) => `Webhook schlägt fehl: ${url}`,
  lowStock: (name, stock) => `${name}: noch ${stock} auf Lager`,
  soldOut: (name) => `${name} ist ausverkauft`,
  waitingApp: (name) => `${name} hat ein Update, das Ihre Zustimmung braucht`,
  firstSteps: 'Bereiten Sie Ihren Shop vor',
  progress: (done, all) => `${done} von ${all} erledigt`,
  hideSteps: 'Ausblenden',
  stepProduct: 'Legen Sie Ihr erstes Produkt an',
  stepProductHint: 'Mit Foto, Preis und Bestand; setzen Sie es auf „Aktiv“.',
  addProduct: 'Produkt anlegen',
  stepTheme: 'Wählen Sie Farben und Schriften',
  stepThemeHint: 'Einmal festgelegt, gelten sie auf jeder Seite.',
  editTheme: 'Design bearbeiten',
  stepPage: 'Veröffentlichen Sie Ihre Startseite',
  stepPageHint: 'Das Erste, was Ihre Besucher sehen.',
  openPages: 'Zu den Seiten',
  stepOrder: 'Geben Sie eine Testbestellung auf',
  stepOrderHint: 'Kaufen Sie etwas in Ihrem Shop, wie es ein Kunde tun würde.',
  done: 'Erledigt',
};

export default words;
