import type { ArticleText } from './pages.ts';

interface DemoArticle {
  slug: string;
  title: string;
  german: string;
  excerpt: string;
  germanExcerpt: string;
  text: ArticleText;
  germanText: ArticleText;
  /** The slug of the product that it shows. */
  product: string;
}

export const articles: readonly DemoArticle[] = [
  {
    slug: 'how-hot-is-hot-enough',
    title: 'How hot is hot enough?',
    german: 'Wie heiß ist heiß genug?',
    excerpt: 'Green tea forgives much, but no boiling water.',
    germanExcerpt: 'Grüner Tee verzeiht viel, nur kein kochendes Wasser.',
    product: 'enamel-kettle',
    text: {
      paragraphs: [
        'Black tea wants water that boils. Oolong is happy at 90 °C, and green tea at 70 °C: wait five minutes after the kettle, or pour once from pot to pot.',
        'Each pour into a cold vessel takes away about ten degrees. Two pours, and boiling water is ready for sencha.',
      ],
      heading: 'No thermometer?',
      after:
        'Look at the bubbles. Small ones at the bottom mean 70 °C, strings of pearls 90 °C, and a rolling boil 100 °C.',
    },
    germanText: {
      paragraphs: [
        'Schwarzer Tee will kochendes Wasser. Oolong mag 90 °C, grüner Tee 70 °C: Warten Sie fünf Minuten, oder gießen Sie einmal um.',
        'Jedes Umgießen in ein kaltes Gefäß nimmt etwa zehn Grad. Zweimal, und kochendes Wasser passt für Sencha.',
      ],
      heading: 'Kein Thermometer?',
      after:
        'Achten Sie auf die Bläschen. Kleine am Boden heißen 70 °C, Perlenschnüre 90 °C, sprudelndes Wasser 100 °C.',
    },
  },
  {
    slug: 'a-visit-to-the-garden',
    title: 'A visit to the garden',
    german: 'Ein Besuch im Garten',
    excerpt: 'Where our oolong grows, the morning begins above the clouds.',
    germanExcerpt: 'Wo unser Oolong wächst, beginnt der Morgen über den Wolken.',
    product: 'mountain-oolong',
    text: {
      paragraphs: [
        'At 1,600 metres the leaves grow slowly, and slow leaves are sweet. They are picked by hand, withered in the sun, and rolled before the evening.',
        'The Chen family has done so for four generations. We visit each spring, carry a basket, and are sent to the kitchen before noon, where we do less harm.',
      ],
      heading: 'What a basket weighs',
      after:
        'Four kilograms of fresh leaves make one kilogram of tea. That is a long morning for two people, and why good oolong has its price.',
    },
    germanText: {
      paragraphs: [
        'Auf 1600 Metern wachsen die Blätter langsam, und langsame Blätter sind süß. Sie werden von Hand gepflückt, in der Sonne gewelkt und vor dem Abend gerollt.',
        'Familie Chen macht das in vierter Generation. Wir kommen jedes Frühjahr, tragen einen Korb und werden vor dem Mittag in die Küche geschickt, wo wir weniger Schaden anrichten.',
      ],
      heading: 'Was ein Korb wiegt',
      after:
        'Vier Kilogramm frische Blätter ergeben ein Kilogramm Tee. Das ist ein langer Vormittag für zwei, und darum hat guter Oolong seinen Preis.',
    },
  },
  {
    slug: 'one-leaf-three-brews',
    title: 'One leaf, three brews',
    german: 'Ein Blatt, drei Aufgüsse',
    excerpt: 'Good leaves are not done after the first cup.',
    germanExcerpt: 'Gute Blätter sind nach der ersten Tasse nicht fertig.',
    product: 'garden-sencha',
    text: {
      paragraphs: [
        'The first brew is for the nose, the second for the mouth, the third for the talk. Give each a little more time: one minute, one and a half, three.',
        'Pour each brew out to the last drop. Leaves that stand in water go on brewing, and turn bitter.',
      ],
      heading: 'When is a leaf done?',
      after:
        'When it lies flat and open, and the cup smells of hay. An oolong may give six cups, a sencha three, an Assam one and a half.',
    },
    germanText: {
      paragraphs: [
        'Der erste Aufguss ist für die Nase, der zweite für den Mund, der dritte fürs Gespräch. Jeder bekommt etwas mehr Zeit: eine Minute, anderthalb, drei.',
        'Gießen Sie jeden Aufguss bis zum letzten Tropfen ab. Blätter, die im Wasser stehen, ziehen weiter und werden bitter.',
      ],
      heading: 'Wann ist ein Blatt fertig?',
      after:
        'Wenn es flach und offen liegt und die Tasse nach Heu duftet. Ein Oolong gibt sechs Tassen, ein Sencha drei, ein Assam anderthalb.',
    },
  },
];
