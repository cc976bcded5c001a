import type english from '../en/permissions.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  products: {
    name: 'Produkte',
    read: 'Alle Produkte und Bestände sehen',
    write: 'Produkte anlegen, ändern und löschen',
  },
  orders: {
    name: 'Bestellungen',
    read: 'Bestellungen mit Namen und Adressen sehen',
    write: 'Bestellungen aufgeben, ändern und stornieren',
  },
  customers: {
    name: 'Kunden',
    read: 'Kunden mit E-Mail und Adresse sehen',
    write: 'Kunden anlegen, ändern und löschen',
  },
  discounts: {
    name: 'Rabatte',
    read: 'Rabatte und ihre Codes ansehen',
    write: 'Rabatte anlegen, ändern und löschen',
  },
  blog: {
    name: 'Blog',
    read: 'Artikel sehen, auch Entwürfe',
    write: 'Artikel schreiben, veröffentlichen und löschen',
  },
  integrations: { name: 'Integrationen', read: 'Integrationen sehen', write: 'Integrationen ändern' },
  pages: {
    name: 'Seiten',
    read: 'Seiten sehen, auch Entwürfe',
    write: 'Seiten ändern, veröffentlichen und löschen',
  },
  theme: { name: 'Design', read: 'Das Design sehen', write: 'Das Design ändern' },
  media: { name: 'Medien', read: 'Alle Dateien sehen', write: 'Dateien hochladen, ändern und löschen' },
  codefiles: { name: 'Code-Dateien', read: 'Noch ohne Wirkung', write: 'Noch ohne Wirkung' },
  webhooks: {
    name: 'Webhooks',
    read: 'Webhooks, Zustellungen und Ereignisse sehen',
    write: 'Webhooks anlegen, ändern und löschen',
  },
  forms: {
    name: 'Formulare',
    read: 'Formulareinsendungen sehen',
    write: 'Formulareinsendungen löschen',
  },
  translations: { name: 'Übersetzungen', read: 'Übersetzungen sehen', write: 'Übersetzungen schreiben' },
  appdata: {
    name: 'App-Daten',
    read: 'Eigene Daten über den Shop lesen',
    write: 'Eigene Daten über den Shop speichern',
  },
};

export default words;
