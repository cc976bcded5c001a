import type english from '../en/event-types.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  groups: {
    order: 'Bestellungen',
    payment: 'Zahlungen',
    fulfillment: 'Sendungen',
    refund: 'Erstattungen',
    return: 'Rücksendungen',
    customer: 'Kunden',
    product: 'Produkte',
    category: 'Kategorien',
    page: 'Seiten',
    form: 'Formulare',
    course: 'Kurse',
  },
  types: {
    'order.created': 'Bestellung eingegangen',
    'order.updated': 'Bestellung geändert',
    'payment.updated': 'Zahlung geändert',
    'fulfillment.created': 'Sendung angelegt',
    'fulfillment.updated': 'Sendung geändert',
    'document.issued': 'Beleg ausgestellt',
    'refund.created': 'Erstattung angelegt',
    'return.updated': 'Rücksendung geändert',
    'customer.created': 'Kunde angelegt',
    'customer.updated': 'Kunde geändert',
    'customer.deleted': 'Kunde gelöscht',
    'product.created': 'Produkt angelegt',
    'product.updated': 'Produkt geändert',
    'product.deleted': 'Produkt gelöscht',
    'category.created': 'Kategorie angelegt',
    'category.updated': 'Kategorie geändert',
    'category.deleted': 'Kategorie gelöscht',
    'page.published': 'Seite veröffentlicht',
    'page.unpublished': 'Seite offline genommen',
    'form.submitted': 'Formular abgeschickt',
    'course.enrolled': 'Teilnehmer eingeschrieben',
    'course.revoked': 'Kurszugang entzogen',
  },
  deliveryStatus: {
    pending: 'Wartet',
    retrying: 'Wird wiederholt',
    delivered: 'Zugestellt',
    dead: 'Fehlgeschlagen',
    cancelled: 'Abgebrochen',
  },
};

export default words;
