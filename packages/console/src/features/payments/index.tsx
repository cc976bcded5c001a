export { PaymentList } from './list.tsx';
export { PaymentMethodScreen } from './method.tsx';
