import { lazyScreen } from '../../lazy-screen.ts';

/** Loads while the list is looked at: a product is what people open from there. */
export const productScreen = lazyScreen(() => import('./product.tsx'), 'ProductScreen');
