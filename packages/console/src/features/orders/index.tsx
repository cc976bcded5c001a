export { OrderList } from './list.tsx';
export { OrderScreen } from './order.tsx';
