import { lazyScreen } from '../../router/screens.ts';

/** Loads while the list is open, because a product is the usual next screen. */
export const productScreen = lazyScreen(() => import('./product.tsx'), 'ProductScreen');
