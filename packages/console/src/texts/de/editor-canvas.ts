import type { CanvasWords } from '../en/editor-canvas.ts';
import { plural } from '../texts.ts';

const elements = (count: number) => plural('de', count, { one: 'Element', other: 'Elemente' });

const words: CanvasWords = {
  title: 'Seite',
  hint: 'Pfeiltasten wechseln zwischen Elementen, die Eingabetaste bearbeitet Text, Escape wählt das übergeordnete Element. Das Fragezeichen zeigt alle Tastenkürzel.',
  loading: 'Die Seite wird geladen …',
  loadingData: 'Inhalte werden geladen …',
  failed: 'Die Seite konnte nicht geladen werden.',
  retry: 'Erneut versuchen',
  empty: {
    title: 'Hier ist noch nichts',
    hint: 'Beginnen Sie mit einem fertigen Abschnitt oder einem beliebigen Element. Sie können auch „/“ drücken.',
    insert: 'Element einfügen',
  },
  add: 'Hier einfügen',
  editPart: { header: 'Kopfbereich bearbeiten', footer: 'Fußbereich bearbeiten' },
  typed: 'Text bearbeiten',
  spaced: 'Abstand ändern',
  inserted: 'Eingefügt',
  moved: 'Verschoben',
  dragged: (count) => elements(count),
  uploading: (count) =>
    `${plural('de', count, { one: 'Datei wird', other: 'Dateien werden' })} hochgeladen …`,
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
    copied: (count) => `${elements(count)} kopiert`,
    cut: (count) => `${elements(count)} ausgeschnitten`,
    pasted: (count) => `${elements(count)} eingefügt`,
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
