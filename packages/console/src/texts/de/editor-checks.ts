import type { EditorChecksWords } from '../en/editor-checks.ts';

const words: EditorChecksWords = {
  missingAlt: () => 'Das Bild hat keinen Alternativtext: Wer es nicht sieht, erfährt nichts davon.',
  emptyLink: () => 'Der Link hat keinen Text: Niemand hört, wohin er führt.',
  deadButton: ({ text }) => `Die Schaltfläche „${text}“ führt nirgendwohin.`,
  deadLink: ({ text }) =>
    text === ''
      ? 'Der Link führt zu etwas, das nicht live ist oder gelöscht wurde.'
      : `„${text}“ führt zu etwas, das nicht live ist oder gelöscht wurde.`,
  deadAnchor: ({ anchorId }) =>
    `Der Link führt zur Stelle „${anchorId}“, die es auf dieser Seite nicht gibt.`,
  sameAnchor: ({ anchorId }) => `Ein anderes Element hat ebenfalls den Anker „${anchorId}“.`,
  noMainHeading: () => 'Die Seite hat keine Hauptüberschrift (Ebene 1).',
  manyMainHeadings: ({ text }) =>
    `„${text}“ ist eine zweite Hauptüberschrift (Ebene 1): Eine Seite hat nur eine.`,
  skippedHeading: ({ text, level, before }) =>
    `Die Überschrift „${text}“ hat Ebene ${level} nach Ebene ${before}: Eine Ebene fehlt.`,
  contrast: ({ ratio, wanted }) =>
    `Der Text hebt sich zu wenig von seinem Hintergrund ab: ${ratio} zu 1, nötig sind ${wanted} zu 1.`,
  missingLabel: () => 'Das Feld hat keine Beschriftung: Niemand weiß, was einzutragen ist.',
  noSubmit: () => 'Das Formular hat keine Schaltfläche zum Absenden.',
  missingTitle: () => 'Das Video hat keinen Titel: Wer es nicht sieht, erfährt nichts davon.',
  goneProduct: () => 'Das Produkt wird nicht mehr verkauft, daher ist hier nichts zu sehen.',
  longTitle: ({ most }) =>
    `Der Titel für Suchmaschinen ist länger als ${most} Zeichen und wird abgeschnitten.`,
  longDescription: ({ most }) =>
    `Die Beschreibung für Suchmaschinen ist länger als ${most} Zeichen und wird abgeschnitten.`,
};

export default words;
