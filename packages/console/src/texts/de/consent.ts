import type { ConsentWords } from '../en/consent.ts';

const words: ConsentWords = {
  title: (app) => `${app} verbinden`,
  by: (org) => `von ${org}`,
  store: 'Mit welchem Shop?',
  asks: (app) => `${app} wird können`,
  asksNothing: (app) => `${app} verlangt keinen Zugriff auf Ihre Daten.`,
  connects: 'Ihre Inseln auf Ihren Seiten werden sprechen mit',
  agree: 'Erlauben und weiter',
  again: 'Weiter',
  decline: 'Ablehnen',
  leadsTo: (host) => `So oder so geht es weiter zu ${host}.`,
  alreadyThere: (app) =>
    `${app} ist in diesem Shop installiert. Es bleibt bei dem, was Sie damals erlaubt haben:`,
  disabled: (app) =>
    `${app} ist in diesem Shop gerade nicht verfügbar. Aktivieren Sie sie zuerst unter Apps.`,
  noStore: 'Sie verwalten noch keinen Shop. Apps installieren Admins und Inhaber.',
  changed: 'Was sie verlangt, hat sich inzwischen geändert. Bitte lesen Sie es noch einmal.',
  broken: 'Die App hat Sie mit einer unvollständigen Adresse hierher geführt. Beginnen Sie dort von vorn.',
};

export default words;
