import type english from '../en/editor-canvas.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  title: 'Seite',
  hint: 'Pfeiltasten wechseln zwischen Elementen, die Eingabetaste bearbeitet Text, Escape wählt das übergeordnete Element. Das Fragezeichen zeigt alle Tastenkürzel.',
  loading: 'Die Seite wird geladen …',
  loadingData: 'Inhalte werden geladen …',
  failed: 'Die Seite konnte nicht geladen werden.',
  retry: 'Erneut versuchen',
  add: 'Hier einfügen',
  editPart: { header: 'Kopfbereich bearbeiten', footer: 'Fußbereich bearbeiten' },
  empty: {
    title: 'Hier ist noch nichts',
    hint: 'Beginnen Sie mit einem fertigen Abschnitt oder einem beliebigen Element. Sie können auch „/“ drücken.',
    insert: 'Element einfügen',
  },
  typed: 'Text bearbeiten',
  spaced: 'Abstand ändern',
  inserted: 'Eingefügt',
  moved: 'Verschoben',
  dragged: '{count, plural, one {# Element} other {# Elemente}}',
  uploading: '{count, plural, one {# Datei wird} other {# Dateien werden}} hochgeladen …',
  dragCancelled: 'Verschieben abgebrochen',
  refused: {
    leaf: 'Dieses Element kann nichts enthalten',
    full: 'Dieses Element ist voll',
    excluded: 'Hier nicht erlaubt',
    depth: 'Zu tief verschachtelt',
    count: 'Die Seite hat zu viele Elemente',
    inside: 'Ein Element kann sich nicht selbst enthalten',
  },
  fromProduct: 'Dieser Text kommt vom Produkt. Bearbeiten Sie ihn dort.',
  noText: 'Dieses Element hat keinen Text. Seine Einstellungen stehen rechts.',
  richTextElsewhere: 'Übersetzen Sie formatierten Text unter „Übersetzungen“.',
  menu: 'Aktionen',
  clipboard: {
    copied: '{count, plural, one {# Element} other {# Elemente}} kopiert',
    cut: '{count, plural, one {# Element} other {# Elemente}} ausgeschnitten',
    pasted: '{count, plural, one {# Element} other {# Elemente}} eingefügt',
    nothingToPaste: 'Hier gibt es nichts einzufügen.',
    noPlace: 'Der Inhalt der Zwischenablage lässt sich auf dieser Seite nicht einfügen.',
    notes: {
      media: 'Bilder eines anderen Shops werden hier nicht gezeigt.',
      products: 'Produkte eines anderen Shops werden hier nicht gezeigt.',
      pages: 'Links zu Seiten eines anderen Shops funktionieren hier nicht.',
      blocks: 'Blöcke nicht installierter Apps zeigen nichts.',
      sections: 'Abschnitte eines anderen Shops wurden weggelassen.',
      detached: 'Abschnitte eines anderen Shops wurden als Kopien eingefügt.',
      images: 'Einige Bilder konnten nicht übernommen werden.',
      cut: 'Ein Teil wurde weggelassen: Die Seite ist voll.',
    },
  },
};

export default words;
