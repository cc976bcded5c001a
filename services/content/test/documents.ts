import type { PageDocument, PageNode } from '@waybill/page';

export type Node = Omit<PageNode, 'children'> & { children?: Node[] };

/** Builds a document from nested nodes. */
export function createDocument(root: Node): PageDocument {
  const nodes: PageNode[] = [];
  const visit = ({ children = [], ...node }: Node) => {
    nodes.push({ ...node, children: children.map(({ id }) => id) });
    for (const child of children) visit(child);
  };
  visit(root);
  return { rootId: root.id, nodes };
}

export const text = (id: string, value: string): Node => ({
  id,
  type: 'text',
  props: { specials: { text: value } },
});

export const heading = (id: string, value: string): Node => ({
  id,
  type: 'heading',
  props: { specials: { text: value, level: 1 } },
});

export const sectionRef = (id: string, sectionId: string): Node => ({
  id,
  type: 'sectionRef',
  props: { specials: { sectionId } },
});

export const blockRef = (id: string, appId: string, blockKey: string): Node => ({
  id,
  type: 'blockRef',
  props: { specials: { appId, blockKey } },
});

/** Builds a product with its title, its price and a buy button. */
export const product = (id: string, productId: string): Node => ({
  id,
  type: 'product',
  props: { specials: { productId } },
  children: [
    { id: `${id}-title`, type: 'productTitle' },
    { id: `${id}-price`, type: 'price' },
    { id: `${id}-button`, type: 'addToCart' },
  ],
});

export const link = (id: string, pageId: string): Node => ({
  id,
  type: 'button',
  props: { specials: { text: 'Go', href: { type: 'page', pageId } } },
});

/** Builds a page that contains these nodes. */
export const createPage = (...children: Node[]): PageDocument =>
  createDocument({ id: 'root', type: 'section', children });
