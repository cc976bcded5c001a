import type { CanvasWords } from '../en/editor-canvas.ts';
import { plural } from '../texts.ts';

const elements = (count: number) => plural('de', count, { one: 'Element', other: 'Elemente' });

const words: CanvasWords = {
  title: 'Seite',
  hint: 'Die Pfeiltasten führen von Element zu Element. Mit der Eingabetaste bearbeiten Sie einen Text, Escape führt zum umgebenden Element. Das Fragezeichen zeigt alle Tasten.',
  loading: 'Die Seite wird gezeichnet …',
  loadingData: 'Inhalte werden geladen …',
  failed: 'Die Seite konnte nicht gezeichnet werden.',
  retry: 'Erneut versuchen',
  empty: {
    title: 'Hier ist noch nichts',
    hint: 'Beginnen Sie mit etwas Fertigem oder mit einem beliebigen Element. Die Taste „/“ tut es auch.',
    insert: 'Element einfügen',
  },
  add: 'Hier einfügen',
  typed: 'Text eingeben',
  spaced: 'Abstand ändern',
  inserted: 'Eingefügt',
  moved: 'Verschoben',
  dragged: (count) => elements(count),
  uploading: (count) =>
    `${plural('de', count, { one: 'Datei wird', other: 'Dateien werden' })} hochgeladen …`,
  dragCancelled: 'Es wurde nichts verschoben.',
  refused: {
    leaf: 'Hierin kann nichts stehen',
    full: 'Mehr kann hierin nicht stehen',
    excluded: 'Das kann hierin nicht stehen',
    depth: 'Zu tief verschachtelt',
    count: 'Die Seite hat zu viele Elemente',
    inside: 'Es kann nicht in sich selbst stehen',
  },
  fromProduct: 'Dieser Text gehört zum Produkt und wird dort geändert.',
  noText: 'Hier gibt es keinen Text. Die Einstellungen stehen im Inspektor.',
  richTextElsewhere: 'Formatierter Text wird im Raum „Übersetzungen“ neben dem Original übersetzt.',
  menu: 'Was Sie mit der Auswahl tun können',
  clipboard: {
    copied: (count) => `${elements(count)} kopiert.`,
    cut: (count) => `${elements(count)} ausgeschnitten.`,
    pasted: (count) => `${elements(count)} eingefügt.`,
    nothingToPaste: 'Die Zwischenablage enthält nichts, was hier eingefügt werden kann.',
    noPlace: 'Der Inhalt der Zwischenablage kann auf dieser Seite nicht stehen.',
    notes: {
      media: 'Bilder eines anderen Shops werden hier nicht gezeigt.',
      products: 'Produkte eines anderen Shops werden hier nicht gezeigt.',
      pages: 'Links zu Seiten eines anderen Shops führen hier nirgendwohin.',
      blocks: 'Blöcke nicht installierter Apps zeigen nichts.',
      sections: 'Abschnitte eines anderen Shops wurden weggelassen.',
      detached: 'Abschnitte eines anderen Shops kamen als ihr Inhalt.',
      images: 'Einige Bilder konnten nicht übernommen werden.',
      cut: 'Es war mehr, als eine Seite fassen kann.',
    },
  },
};

export default words;
