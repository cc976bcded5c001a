import type english from '../en/editor-checks.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  missingAlt: 'Das Bild hat keinen Alternativtext. Screenreader können es nicht beschreiben.',
  emptyLink: 'Der Link hat keinen Text. Screenreader können ihn nicht ansagen.',
  deadButton: 'Die Schaltfläche „{text}“ hat keinen Link.',
  deadLink: '„{text}“ führt zu etwas, das nicht live ist oder gelöscht wurde.',
  deadLinkWithoutText: 'Der Link führt zu etwas, das nicht live ist oder gelöscht wurde.',
  deadAnchor: 'Der Link führt zum Anker „{anchorId}“, den es auf dieser Seite nicht gibt.',
  sameAnchor: 'Ein anderes Element hat ebenfalls den Anker „{anchorId}“.',
  noMainHeading: 'Die Seite hat keine Hauptüberschrift (Ebene 1).',
  manyMainHeadings: '„{text}“ ist eine zweite Hauptüberschrift (Ebene 1). Verwenden Sie nur eine pro Seite.',
  skippedHeading: 'Die Überschrift „{text}“ springt von Ebene {before} zu Ebene {level}.',
  contrast:
    'Der Text ist auf seinem Hintergrund schlecht lesbar: Der Kontrast ist {ratio}:1, nötig sind mindestens {wanted}:1.',
  missingLabel: 'Das Feld hat keine Beschriftung.',
  noSubmit: 'Das Formular hat keine Absenden-Schaltfläche.',
  missingTitle: 'Das Video hat keinen Titel. Screenreader können es nicht beschreiben.',
  goneProduct: 'Das Produkt ist nicht mehr erhältlich, daher ist hier nichts zu sehen.',
  longTitle: 'Der Titel für Suchmaschinen ist länger als {most} Zeichen und wird abgeschnitten.',
  longDescription: 'Die Beschreibung für Suchmaschinen ist länger als {most} Zeichen und wird abgeschnitten.',
};

export default words;
