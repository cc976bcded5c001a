export { DiscountScreen } from './discount.tsx';
export { DiscountList } from './list.tsx';
