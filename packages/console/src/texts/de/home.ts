import type english from '../en/home.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  ordersToday: 'Bestellungen heute',
  salesToday: 'Umsatz heute',
  last30: 'Letzte 30 Tage',
  sales: 'Umsatz',
  orders: 'Bestellungen',
  average: 'Ø Bestellwert',
  refunded: 'Erstattet',
  compared: '{change} zu den 30 Tagen davor',
  chart: 'Umsatz der letzten {days, number} Tage: {total}',
  noChart: 'Kein Umsatz in den letzten 30 Tagen',
  noChartHint: 'Umsätze erscheinen hier, sobald Bestellungen eingehen.',
  recentOrders: 'Neueste Bestellungen',
  noOrders: 'Noch keine Bestellungen',
  allOrders: 'Alle anzeigen',
  orderNumber: '#{number}',
  fulfillments: {
    unfulfilled: 'Nicht versandt',
    partially_fulfilled: 'Teilweise versandt',
    fulfilled: 'Versandt',
    returned: 'Zurückgesandt',
  },
  cancelled: 'Storniert',
  topProducts: 'Bestseller',
  noSales: 'Keine Verkäufe in den letzten 30 Tagen.',
  sold: '{count, number} verkauft',
  attention: 'Zu erledigen',
  nothing: 'Alles erledigt.',
  tasks: {
    toFulfill:
      '{count, plural, one {# bezahlte Bestellung zu versenden} other {# bezahlte Bestellungen zu versenden}}',
    toCapture:
      '{count, plural, one {# autorisierte Bestellung zu versenden} other {# autorisierte Bestellungen zu versenden}}',
    unpaid:
      '{count, plural, one {# unbezahlte Bestellung nicht versandt} other {# unbezahlte Bestellungen nicht versandt}}',
    toFinish:
      '{count, plural, one {# teilweise versandte Bestellung} other {# teilweise versandte Bestellungen}}',
    returnsAsked:
      '{count, plural, one {# Rücksendung zu beantworten} other {# Rücksendungen zu beantworten}}',
    returnsBack:
      '{count, plural, one {# eingetroffene Rücksendung zu erstatten oder abzuschließen} other {# eingetroffene Rücksendungen zu erstatten oder abzuschließen}}',
    toRefund:
      '{count, plural, one {# stornierte Bestellung zu erstatten} other {# stornierte Bestellungen zu erstatten}}',
    failed:
      '{count, plural, one {# fehlgeschlagene Zahlung in den letzten 7 Tagen} other {# fehlgeschlagene Zahlungen in den letzten 7 Tagen}}',
    disputed: '{count, plural, one {# angefochtene Zahlung} other {# angefochtene Zahlungen}}',
  },
  failingEndpoint: 'Webhook schlägt fehl: {url}',
  lowStock: '{name}: noch {stock, number} auf Lager',
  soldOut: '{name} ist ausverkauft',
  waitingApp: '{name} hat ein Update, das Ihre Zustimmung braucht',
  firstSteps: 'Bereiten Sie Ihren Shop vor',
  progress: '{done, number} von {all, number} erledigt',
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
