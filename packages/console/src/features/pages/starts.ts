import type { Json, NodeProps, PageDocument, PageNode } from '@waybill/page';
import type { PageStartWords } from '../../texts/en/page-starts.ts';

/** The starts that a new page can begin with, in the order of the dialog. */
export const startIds = [
  'home',
  'landing',
  'shop',
  'collection',
  'about',
  'contact',
  'questions',
  'journal',
  'launch',
  'legal',
] as const;
export type StartId = (typeof startIds)[number];

/** The store's data that starts use. */
export interface StartFacts {
  /** Ids of visible products, those with pictures first. */
  readonly productIds: readonly string[];
  /** Id of a picture from the media library. */
  readonly pictureId: string | null;
}

interface StarterNode {
  readonly type: string;
  readonly props?: NodeProps;
  readonly children?: readonly StarterNode[];
}

const props = (
  specials: Record<string, Json> = {},
  style: Record<string, Json> = {},
  config: Record<string, Json> = {},
): NodeProps => ({
  ...(Object.keys(specials).length > 0 && { specials }),
  ...(Object.keys(style).length > 0 && { style: { base: style } }),
  ...(Object.keys(config).length > 0 && { config: { base: config } }),
});
const el = (
  type: string,
  specials: Record<string, Json> = {},
  style: Record<string, Json> = {},
): StarterNode => ({
  type,
  props: props(specials, style),
});
const box = (
  type: string,
  children: readonly StarterNode[],
  style: Record<string, Json> = {},
  config: Record<string, Json> = {},
  specials: Record<string, Json> = {},
): StarterNode => ({ type, children, props: props(specials, style, config) });

const surface = { backgroundColor: { token: 'color.surface' } };
const centred = { textAlign: 'center' };
const readable = { maxWidth: '44rem' };
const heading = (text: string, level: number, style: Record<string, Json> = {}) =>
  el('heading', { text, level }, style);
const lead = (text: string, style: Record<string, Json> = {}) =>
  el('text', { text }, { fontSize: '1.25rem', ...style });
const section = (children: readonly StarterNode[], style: Record<string, Json> = {}) =>
  box('section', children, style);
const intro = (title: string, text: string) => section([heading(title, 1), lead(text, readable)]);

/** Builds a heading with its text for each pair. `level` is the level of the headings. */
const pairs = (list: readonly (readonly string[])[], level: number): StarterNode[] =>
  list.map(([title = '', text = '']) =>
    box('stack', [heading(title, level), el('text', { text })], { rowGap: '0.5rem' }),
  );
const columns = (children: readonly StarterNode[], count: number) =>
  box('grid', children, { columnGap: '2rem', rowGap: '2rem' }, { columns: count });
const halves = (children: readonly StarterNode[]) =>
  box('stack', children, { alignItems: 'center', columnGap: '3rem' }, { direction: 'row', collapse: true });

const card = (level: number) =>
  box('product', [
    { type: 'productImage', props: props({}, {}, { ratio: '1/1' }) },
    el('productTitle', { level }),
    el('price'),
  ]);
const products = (specials: Record<string, Json>, level = 3) =>
  box('productList', [card(level)], {}, {}, specials);
const articles = (specials: Record<string, Json>, level = 3) =>
  box(
    'articleList',
    [
      box(
        'container',
        [
          { type: 'articleImage', props: props({}, {}, { ratio: '16/9' }) },
          el('articleTitle', { level }),
          el('articleDate'),
          el('articleExcerpt'),
        ],
        {},
        {},
        { tag: 'article' },
      ),
    ],
    {},
    {},
    specials,
  );

const parts: Readonly<Record<StartId, (words: PageStartWords, facts: StartFacts) => readonly StarterNode[]>> =
  {
    home({ home, ...words }, { productIds, pictureId }) {
      const [first] = productIds;
      const text = box('stack', [
        heading(home.title, 1),
        lead(home.lead),
        el('button', {
          text: home.button,
          href: first ? { type: 'product', productId: first } : { type: 'home' },
        }),
      ]);
      return [
        section([halves([text, picture(words, pictureId)])], surface),
        section([heading(home.favourites, 2), products({ sort: 'created', dir: 'desc', limit: 8 })]),
        section([
          columns(
            Object.entries(home.points).map(([icon, [title, body]]) =>
              box('stack', [el('icon', { icon }), heading(title, 3), el('text', { text: body })], {
                rowGap: '0.5rem',
              }),
            ),
            3,
          ),
        ]),
      ];
    },
    landing({ landing, ...words }, { productIds, pictureId }) {
      const [first] = productIds;
      const shown: StarterNode =
        first === undefined
          ? picture(words, pictureId)
          : box(
              'product',
              [{ type: 'productImage', props: props({}, {}, { ratio: '4/3' }) }],
              {},
              {},
              { productId: first },
            );
      const offer: StarterNode[] =
        first === undefined
          ? []
          : [
              section(
                [
                  heading(landing.last, 2, centred),
                  box(
                    'product',
                    [el('productTitle', { level: 3 }, centred), el('price', {}, centred), el('addToCart')],
                    { maxWidth: '24rem', marginLeft: 'auto', marginRight: 'auto' },
                    {},
                    { productId: first },
                  ),
                ],
                surface,
              ),
            ];
      const text = box('stack', [
        heading(landing.title, 1),
        lead(landing.lead),
        el('button', {
          text: landing.button,
          href: first ? { type: 'product', productId: first } : { type: 'home' },
        }),
      ]);
      return [
        section([halves([text, shown])]),
        section([heading(landing.points, 2), columns(pairs(landing.list, 3), 3)], surface),
        section(
          [
            el('text', { text: landing.quote, tag: 'p' }, { fontSize: '1.75rem', fontStyle: 'italic' }),
            el('text', { text: landing.quoted, tag: 'small' }),
          ],
          centred,
        ),
        ...offer,
      ];
    },
    shop: ({ shop }) => [
      section([
        heading(shop.title, 1),
        lead(shop.lead),
        products({ limit: 24, paged: true, emptyText: shop.empty }, 2),
      ]),
    ],
    collection: ({ collection: { title, lead: text, small, large } }) => [
      section([heading(title, 1), lead(text, { ...readable, marginLeft: 'auto', marginRight: 'auto' })], {
        ...surface,
        ...centred,
      }),
      section([heading(small, 2), products({ sort: 'price', dir: 'asc', limit: 4 })]),
      section([heading(large, 2), products({ sort: 'price', dir: 'desc', limit: 4 })]),
    ],
    about: ({ about, ...words }, { pictureId }) => [
      intro(about.title, about.lead),
      section(
        [
          halves([
            picture(words, pictureId),
            box('stack', [heading(about.story, 2), el('text', { text: about.storyText })]),
          ]),
        ],
        surface,
      ),
      section([heading(about.values, 2), columns(pairs(about.list, 3), 3)]),
    ],
    contact: ({ contact }) => [
      intro(contact.title, contact.lead),
      section([
        columns(
          [
            box('container', [
              heading(contact.form, 2),
              box(
                'form',
                [
                  el('field', { label: contact.name, name: 'name', required: true }),
                  el('field', { label: contact.email, name: 'email', inputType: 'email', required: true }),
                  el('field', {
                    label: contact.message,
                    name: 'message',
                    inputType: 'textarea',
                    required: true,
                  }),
                  el('button', { text: contact.send }),
                ],
                {},
                {},
                { name: 'contact' },
              ),
            ]),
            box('container', [
              heading(contact.visit, 2),
              el('text', { text: contact.address }),
              heading(contact.hours, 3),
              el('text', { text: contact.times }),
            ]),
          ],
          2,
        ),
      ]),
    ],
    questions: ({ questions }) => [
      intro(questions.title, questions.lead),
      section([box('stack', pairs(questions.list, 2), { rowGap: '2rem', ...readable })]),
    ],
    journal: ({ journal }) => [
      section([
        heading(journal.title, 1),
        lead(journal.lead),
        articles({ limit: 12, paged: true, emptyText: journal.empty }, 2),
      ]),
    ],
    launch: ({ launch }) => [
      section(
        [
          heading(launch.title, 1, { fontSize: '3.5rem' }),
          lead(launch.lead),
          box(
            'form',
            [
              el('field', { label: launch.email, name: 'email', inputType: 'email', required: true }),
              el('button', { text: launch.send }),
            ],
            { maxWidth: '24rem', marginLeft: 'auto', marginRight: 'auto', textAlign: 'left' },
            {},
            { name: 'launch' },
          ),
        ],
        { ...surface, ...centred, paddingTop: '8rem', paddingBottom: '8rem' },
      ),
    ],
    legal: ({ legal }) => [
      section([
        heading(legal.title, 1),
        el('text', { text: legal.lead }, readable),
        box('stack', pairs(legal.list, 2), { rowGap: '1.5rem', ...readable }),
      ]),
    ],
  };

/** A picture of the store, or a placeholder until there is one. */
const picture = (
  { pictureAlt }: Pick<PageStartWords, 'pictureAlt'>,
  pictureId: string | null,
): StarterNode =>
  pictureId === null
    ? box('container', [], {
        minHeight: '20rem',
        width: '100%',
        backgroundImage: 'linear-gradient(135deg, #d9dfe8, #b9c4d4)',
      })
    : { type: 'image', props: props({ src: pictureId, alt: pictureAlt }, {}, { ratio: '4/3' }) };

/** Builds the document of a start, in the store's language and with its products. */
export function startDocument(id: StartId, words: PageStartWords, facts: StartFacts): PageDocument {
  const nodes: PageNode[] = [];
  const add = ({ type, props: own, children }: StarterNode): string => {
    const nodeId = nodes.length === 0 ? id : `${id}-${nodes.length}`;
    const at = nodes.push({ id: nodeId, type }) - 1;
    const below = children?.map(add);
    nodes[at] = {
      id: nodeId,
      type,
      ...(own && Object.keys(own).length > 0 && { props: own }),
      ...(below && { children: below }),
    };
    return nodeId;
  };
  return { rootId: add(box('container', parts[id](words, facts))), nodes };
}

/** Combines all starts into one document, to request the data of all of them at once. */
export function everyStart(words: PageStartWords, facts: StartFacts): PageDocument {
  const documents = startIds.map((id) => startDocument(id, words, facts));
  const root: PageNode = { id: 'all', type: 'container', children: documents.map(({ rootId }) => rootId) };
  return { rootId: root.id, nodes: [root, ...documents.flatMap(({ nodes }) => nodes)] };
}
