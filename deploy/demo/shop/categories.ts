/** A category of the demo shop; its parent must come before it. */
export interface DemoCategory {
  slug: string;
  parent?: string;
  name: string;
  german: string;
  text: string;
  germanText: string;
  /** The products that it contains: by a tag, or by their slugs. */
  products: { tag: string } | { slugs: string[] };
}

export const categories: readonly DemoCategory[] = [
  {
    slug: 'tea',
    name: 'Tea',
    german: 'Tee',
    text: 'Leaves, herbs and fruit, each packed by hand.',
    germanText: 'Blätter, Kräuter und Früchte, von Hand gepackt.',
    products: { tag: 'tea' },
  },
  {
    slug: 'black-tea',
    parent: 'tea',
    name: 'Black tea',
    german: 'Schwarzer Tee',
    text: 'Malty, smoky or floral, and good with milk.',
    germanText: 'Malzig, rauchig oder blumig, auch mit Milch.',
    products: { slugs: ['morning-breeze', 'breakfast-blend', 'high-grown-darjeeling', 'smoky-lapsang'] },
  },
  {
    slug: 'green-and-white-tea',
    parent: 'tea',
    name: 'Green and white tea',
    german: 'Grüner und weißer Tee',
    text: 'Steamed, shaded or only withered.',
    germanText: 'Gedämpft, beschattet oder nur gewelkt.',
    products: { slugs: ['garden-sencha', 'ceremonial-matcha', 'white-peony', 'mountain-oolong'] },
  },
  {
    slug: 'herbs-and-fruit',
    parent: 'tea',
    name: 'Herbs and fruit',
    german: 'Kräuter und Früchte',
    text: 'Without caffeine, for every hour of the day.',
    germanText: 'Ohne Koffein, zu jeder Tageszeit.',
    products: { slugs: ['evening-rooibos', 'orchard-fruit', 'mint-garden', 'iced-hibiscus'] },
  },
  {
    slug: 'teaware',
    name: 'Teaware',
    german: 'Geschirr',
    text: 'Cups, pots and what belongs beside them.',
    germanText: 'Tassen, Kannen und was dazugehört.',
    products: { tag: 'ware' },
  },
  {
    slug: 'gifts',
    name: 'Gifts',
    german: 'Geschenke',
    text: 'Ready to give, with a card in your words.',
    germanText: 'Zum Verschenken, mit einer Karte in Ihren Worten.',
    products: { tag: 'gift' },
  },
];
