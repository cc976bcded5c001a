import { readFile } from 'node:fs/promises';

/** The permissions that the app asks a merchant for. */
export const scopes = ['products.read', 'webhooks.write', 'appdata.read', 'appdata.write'];

/**
 * The app's only block: a title that the merchant may change, and a rating and a count. The app stores the latter as
 * values of the site, or of the product that contains the block.
 */
export const reviewsBlock = {
  key: 'reviews',
  name: 'Reviews',
  icon: 'star',
  rootId: 'root',
  nodes: [
    {
      id: 'root',
      type: 'stack',
      children: ['title', 'rating', 'count'],
      props: { style: { base: { paddingTop: '24px', paddingBottom: '24px' } } },
    },
    { id: 'title', type: 'heading', props: { specials: { text: 'What customers say', level: 2 } } },
    {
      id: 'rating',
      type: 'text',
      island: 'stars',
      props: {
        specials: { text: 'No rating yet' },
        bindings: [{ source: 'app.rating', field: 'specials.text' }],
      },
    },
    {
      id: 'count',
      type: 'text',
      props: {
        specials: { text: 'Be the first to review', tag: 'small' },
        bindings: [{ source: 'app.count', field: 'specials.text' }],
      },
    },
  ],
  slots: [{ name: 'title', nodeId: 'title' }],
  traits: [
    {
      key: 'title',
      label: 'Title',
      attributes: [
        { widget: 'text', slot: 'title', target: 'specials', writeKey: 'text' },
        { widget: 'color', slot: 'title', target: 'style', writeKey: 'color' },
      ],
    },
    {
      key: 'space',
      label: 'Space',
      attributes: [{ widget: 'spacing', slot: '$root', target: 'style', writeKey: 'paddingTop' }],
    },
  ],
};

export const islandName = 'stars';

/** Returns the island's module for one app: it registers itself under a name that contains the app's id. */
export async function readIslandModule(appId: string): Promise<string> {
  const text = await readFile(new URL('islands/stars.js', import.meta.url), 'utf8');
  return text.replace('ISLAND_NAME', `app.${appId}.${islandName}`);
}
