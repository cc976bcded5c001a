import type { TranslationWords } from '../en/translations.ts';

const words: TranslationWords = {
  title: 'Übersetzungen',
  into: (language) => `Nach: ${language}`,
  noLanguages: 'Ihr Shop spricht eine Sprache',
  noLanguagesHint:
    'Fügen Sie in den Einstellungen des Shops Sprachen hinzu; dann lassen sich seine Texte hier übersetzen.',
  otherLanguage: 'Andere Sprache …',
  languageTag: 'Sprachkürzel',
  languageTagHint: 'Zum Beispiel en, fr oder pt-BR.',
  progress: 'Fortschritt',
  progressOf: {
    product: 'Produkte',
    article: 'Artikel',
    blogCategory: 'Blog-Kategorien',
    page: 'Seiten und ihre Texte',
  },
  language: 'Sprache',
  kind: 'Was',
  kinds: {
    product: 'Produkte',
    article: 'Artikel',
    blogCategory: 'Blog-Kategorien',
    page: 'Namen von Seiten',
  },
  translation: 'Übersetzung',
  complete: 'Vollständig',
  missing: (count) => `Fehlt: ${count}`,
  nothing: 'Davon gibt es noch nichts',
  nothingHint: 'Was Sie im Shop anlegen, lässt sich hier übersetzen.',
  count: (count) => `Insgesamt: ${count}`,
  noText: 'Hier gibt es nichts zu übersetzen',
  noTextHint: 'Es enthält keinen Text.',
  fields: {
    name: 'Name',
    title: 'Titel',
    description: 'Beschreibung',
    excerpt: 'Auszug',
    content: 'Inhalt',
  },
  original: (field) => `${field}, Original`,
  translationOf: (field, language) => `${field}, ${language}`,
  untranslated: 'Bis zur Übersetzung sehen Besucher das Original.',
  next: 'Nächstes Fehlendes',
  saveAndNext: 'Speichern und weiter zum nächsten',
  allDone: 'Sonst fehlt davon nichts mehr.',
};

export default words;
