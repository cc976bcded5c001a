import type { Motif } from './pictures.ts';

export interface DemoProduct {
  slug: string;
  name: string;
  german: string;
  text: string;
  germanText: string;
  picture: [motif: Motif, main: string, light: string, ground: string];
  tags: string[];
  /** Name and price of each variant. */
  sizes: [name: string, priceCents: number][];
}

const weight = /^(\d+) g$/;
const colours: Readonly<Record<string, string>> = {
  Blue: 'Blau',
  Sand: 'Sand',
  Green: 'Grün',
  Cream: 'Creme',
  Black: 'Schwarz',
};

/** Returns the option in which the variants of a product differ; null if they do not. */
export function findOption({ sizes, tags }: DemoProduct): { name: string; german: string } | null {
  const names = sizes.map(([name]) => name);
  if (names.length < 2) return null;
  if (names.every((name) => weight.test(name))) return { name: 'Weight', german: 'Gewicht' };
  if (tags.includes('ware') && names.every((name) => name in colours))
    return { name: 'Colour', german: 'Farbe' };
  return { name: 'Kind', german: 'Art' };
}

/** Returns an option's value in German, if it differs. */
export const germanValue = (value: string): string | undefined => colours[value];

/** Returns the weight of a variant, so that its price per 100 g can be compared. */
export function parseUnit(name: string) {
  const grams = weight.exec(name)?.[1];
  return grams === undefined ? null : { amount: Number(grams), measure: 'g', perAmount: 100 };
}

const green = '#3f6f5c';
const rust = '#a4532f';
const plum = '#6b3f54';
const blue = '#3c5f78';

const product = (
  [slug, name, german]: [string, string, string],
  [text, germanText]: [string, string],
  picture: DemoProduct['picture'],
  tags: string[],
  ...sizes: DemoProduct['sizes']
): DemoProduct => ({ slug, name, german, text, germanText, picture, tags, sizes });

export const products: readonly DemoProduct[] = [
  product(
    ['morning-breeze', 'Morning Breeze', 'Morgenbrise'],
    ['A bright Assam that stands up to milk.', 'Ein heller Assam, der auch Milch verträgt.'],
    ['tin', rust, '#c77a4e', '#f1d9c2'],
    ['tea', 'featured'],
    ['100 g', 990],
    ['250 g', 2190],
  ),
  product(
    ['mountain-oolong', 'Mountain Oolong', 'Berg-Oolong'],
    [
      'Half-fermented leaves from high gardens, with a note of orchid.',
      'Halb fermentiert, aus hohen Gärten, mit einer Note von Orchidee.',
    ],
    ['bag', green, '#6f9a80', '#dbe6d6'],
    ['tea', 'featured'],
    ['50 g', 1290],
    ['100 g', 2390],
  ),
  product(
    ['garden-sencha', 'Garden Sencha', 'Garten-Sencha'],
    ['First harvest, steamed, grassy and sweet.', 'Erste Ernte, gedämpft, grasig und süß.'],
    ['tin', green, '#8fb08d', '#e4ead2'],
    ['tea'],
    ['100 g', 1490],
  ),
  product(
    ['evening-rooibos', 'Evening Rooibos', 'Abend-Rooibos'],
    ['Red bush with vanilla, without caffeine.', 'Rotbusch mit Vanille, ohne Koffein.'],
    ['bag', rust, '#d39a6a', '#f3dfcb'],
    ['tea'],
    ['100 g', 790],
    ['500 g', 2990],
  ),
  product(
    ['ceremonial-matcha', 'Ceremonial Matcha', 'Zeremonien-Matcha'],
    ['Stone-ground from shaded leaves.', 'Auf Stein gemahlen, aus beschatteten Blättern.'],
    ['whisk', '#4b5a52', '#7f8d84', '#dfe7cf'],
    ['tea', 'featured'],
    ['30 g', 2490],
  ),
  product(
    ['orchard-fruit', 'Orchard Fruit', 'Obstgarten'],
    ['Apple, quince and rosehip, good on ice.', 'Apfel, Quitte und Hagebutte, auch auf Eis.'],
    ['tin', plum, '#99697f', '#ecd9e0'],
    ['tea'],
    ['100 g', 890],
  ),
  product(
    ['stoneware-cup', 'Stoneware Cup', 'Steinzeugtasse'],
    ['Thrown by hand, 250 ml, safe in the dishwasher.', 'Von Hand gedreht, 250 ml, für die Spülmaschine.'],
    ['cup', blue, '#7c9bb0', '#d9e4ea'],
    ['ware', 'featured'],
    ['Blue', 1890],
    ['Sand', 1890],
  ),
  product(
    ['round-teapot', 'Round Teapot', 'Runde Kanne'],
    ['A pot for four, with a strainer of steel.', 'Eine Kanne für vier, mit einem Sieb aus Stahl.'],
    ['pot', plum, '#a07c8e', '#ecdde3'],
    ['ware'],
    ['1.2 l', 4900],
  ),
  product(
    ['tea-for-two', 'Tea for Two', 'Tee zu zweit'],
    ['Pot and cup in one box, ready to give.', 'Kanne und Tasse in einer Schachtel, zum Verschenken.'],
    ['set', rust, '#c98d64', '#f4e3d0'],
    ['ware', 'gift'],
    ['Set', 6400],
  ),
  product(
    ['glass-pot', 'Clay Pot', 'Tonkanne'],
    ['Small and unglazed, for oolong alone.', 'Klein und unglasiert, nur für Oolong.'],
    ['pot', '#8a4b32', '#b97c5e', '#efdccd'],
    ['ware'],
    ['0.3 l', 3600],
  ),
  product(
    ['everyday-cup', 'Everyday Cup', 'Alltagstasse'],
    ['Light, white inside, stacks well.', 'Leicht, innen weiß, gut zu stapeln.'],
    ['cup', green, '#9db9a4', '#e2e9dd'],
    ['ware'],
    ['Single', 1200],
    ['Set of four', 4200],
  ),
  product(
    ['tasting-box', 'Tasting Box', 'Probierschachtel'],
    ['Six teas of 20 g, and how to brew them.', 'Sechs Tees zu 20 g, und wie man sie aufgießt.'],
    ['bag', blue, '#87a5b8', '#dbe6ec'],
    ['tea', 'gift'],
    ['6 × 20 g', 2200],
  ),
  product(
    ['high-grown-darjeeling', 'High-Grown Darjeeling', 'Hochland-Darjeeling'],
    ['First flush, light and floral, from 2,000 metres.', 'First Flush, leicht und blumig, aus 2000 Metern.'],
    ['bag', '#8a7434', '#b8a25f', '#f0e8cf'],
    ['tea'],
    ['50 g', 1190],
    ['100 g', 2190],
    ['250 g', 4990],
  ),
  product(
    ['smoky-lapsang', 'Smoky Lapsang', 'Rauchiger Lapsang'],
    [
      'Dried over pine, for the evening and for sauces.',
      'Über Kiefer getrocknet, für den Abend und für Saucen.',
    ],
    ['tin', '#4a3c36', '#7d675c', '#e6dcd3'],
    ['tea'],
    ['100 g', 1290],
  ),
  product(
    ['white-peony', 'White Peony', 'Weiße Pfingstrose'],
    [
      'Buds and young leaves, only withered, soft as melon.',
      'Knospen und junge Blätter, nur gewelkt, sanft wie Melone.',
    ],
    ['jar', '#7d8f7a', '#a9b8a2', '#e8ede1'],
    ['tea', 'new'],
    ['30 g', 1390],
    ['60 g', 2590],
  ),
  product(
    ['mint-garden', 'Mint Garden', 'Minzgarten'],
    ['Peppermint and spearmint, nothing else.', 'Pfefferminze und grüne Minze, sonst nichts.'],
    ['bag', '#2f7a63', '#6fae95', '#d6ebe1'],
    ['tea'],
    ['50 g', 590],
    ['150 g', 1490],
  ),
  product(
    ['iced-hibiscus', 'Iced Hibiscus', 'Eishibiskus'],
    [
      'Deep red and tart, made for ice and a slice of orange.',
      'Tiefrot und herb, für Eis und eine Scheibe Orange.',
    ],
    ['glass', '#a8324a', '#d0687c', '#f6dfe3'],
    ['tea', 'new'],
    ['100 g', 890],
    ['Pitcher pack', 1990],
  ),
  product(
    ['breakfast-blend', 'Breakfast Blend', 'Frühstücksmischung'],
    ['Assam and Ceylon, strong enough for early trains.', 'Assam und Ceylon, kräftig genug für frühe Züge.'],
    ['tin', blue, '#7c9bb0', '#dde7ec'],
    ['tea', 'featured'],
    ['125 g', 990],
    ['500 g', 3290],
  ),
  product(
    ['enamel-kettle', 'Enamel Kettle', 'Emaillekessel'],
    [
      'Whistles softly, holds 1.8 litres, works on every stove.',
      'Pfeift leise, fasst 1,8 Liter, für jeden Herd.',
    ],
    ['kettle', green, '#9db9a4', '#e2e9dd'],
    ['ware', 'new'],
    ['Green', 5900],
    ['Cream', 5900],
    ['Black', 5900],
  ),
  product(
    ['bamboo-tray', 'Bamboo Tray', 'Bambustablett'],
    ['For two cups and a small spill.', 'Für zwei Tassen und ein kleines Missgeschick.'],
    ['tray', '#a9814a', '#d2b07c', '#f2e6d0'],
    ['ware'],
    ['Small', 2400],
    ['Large', 3200],
  ),
  product(
    ['measuring-spoon', 'Measuring Spoon', 'Teelöffel mit Maß'],
    ['Two grams, levelled. Cherry wood, oiled.', 'Zwei Gramm, gestrichen. Kirschholz, geölt.'],
    ['spoon', '#8a5a34', '#b98a5f', '#f0e2d1'],
    ['ware', 'gift'],
    ['One', 790],
  ),
  product(
    ['forest-honey', 'Forest Honey', 'Waldhonig'],
    ['From the beekeeper next door, stirred cold.', 'Vom Imker nebenan, kalt gerührt.'],
    ['jar', '#b8772a', '#dca75a', '#f7e7c9'],
    ['pantry', 'gift'],
    ['250 g', 750],
    ['500 g', 1350],
  ),
  product(
    ['gift-box', 'Gift Box', 'Geschenkschachtel'],
    ['Three teas, one cup, a card in your words.', 'Drei Tees, eine Tasse, eine Karte mit Ihren Worten.'],
    ['box', plum, '#a07c8e', '#ecdde3'],
    ['gift', 'featured'],
    ['Green', 4900],
    ['Black', 4900],
    ['Herbal', 4500],
  ),
  product(
    ['travel-glass', 'Travel Glass', 'Reiseglas'],
    ['Double walls, a strainer, and a lid that holds.', 'Doppelte Wände, ein Sieb und ein Deckel, der hält.'],
    ['glass', '#7a8f4a', '#a9bb7a', '#e9efd8'],
    ['ware'],
    ['350 ml', 2900],
    ['500 ml', 3400],
  ),
];
