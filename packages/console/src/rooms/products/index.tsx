export { ProductList } from './list.tsx';
export { ProductScreen } from './product.tsx';
