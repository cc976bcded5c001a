import type { EditorChecksWords } from '../en/editor-checks.ts';

const words: EditorChecksWords = {
  missingAlt: () => 'Das Bild hat keinen Alternativtext. Screenreader können es nicht beschreiben.',
  emptyLink: () => 'Der Link hat keinen Text. Screenreader können ihn nicht ansagen.',
  deadButton: ({ text }) => `Die Schaltfläche „${text}“ hat keinen Link.`,
  deadLink: ({ text }) =>
    text === ''
      ? 'Der Link führt zu etwas, das nicht live ist oder gelöscht wurde.'
      : `„${text}“ führt zu etwas, das nicht live ist oder gelöscht wurde.`,
  deadAnchor: ({ anchorId }) => `Der Link führt zum Anker „${anchorId}“, den es auf dieser Seite nicht gibt.`,
  sameAnchor: ({ anchorId }) => `Ein anderes Element hat ebenfalls den Anker „${anchorId}“.`,
  noMainHeading: () => 'Die Seite hat keine Hauptüberschrift (Ebene 1).',
  manyMainHeadings: ({ text }) =>
    `„${text}“ ist eine zweite Hauptüberschrift (Ebene 1). Verwenden Sie nur eine pro Seite.`,
  skippedHeading: ({ text, level, before }) =>
    `Die Überschrift „${text}“ springt von Ebene ${before} zu Ebene ${level}.`,
  contrast: ({ ratio, wanted }) =>
    `Der Text ist auf seinem Hintergrund schlecht lesbar: Der Kontrast ist ${ratio}:1, nötig sind mindestens ${wanted}:1.`,
  missingLabel: () => 'Das Feld hat keine Beschriftung.',
  noSubmit: () => 'Das Formular hat keine Absenden-Schaltfläche.',
  missingTitle: () => 'Das Video hat keinen Titel. Screenreader können es nicht beschreiben.',
  goneProduct: () => 'Das Produkt ist nicht mehr erhältlich, daher ist hier nichts zu sehen.',
  longTitle: ({ most }) =>
    `Der Titel für Suchmaschinen ist länger als ${most} Zeichen und wird abgeschnitten.`,
  longDescription: ({ most }) =>
    `Die Beschreibung für Suchmaschinen ist länger als ${most} Zeichen und wird abgeschnitten.`,
};

export default words;
