export { OrderList } from './list.tsx';
export { NewOrder } from './new.tsx';
export { OrderScreen } from './order.tsx';
