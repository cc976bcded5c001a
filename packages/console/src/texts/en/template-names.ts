import type { Compiled } from '../messages.ts';

/** Names of the store's templates. */
const words = {
  kinds: {
    header: 'Header',
    footer: 'Footer',
    product: 'Product page',
    category: 'Category page',
    article: 'Article page',
    blog: 'Blog',
    search: 'Search results',
    notFound: 'Page not found',
  },
  theme: 'Theme',
} as const;

export default words;
export type TemplateNames = Compiled<typeof words>;
