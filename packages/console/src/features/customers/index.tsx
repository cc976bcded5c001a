export { CustomerScreen } from './customer.tsx';
export { CustomerList } from './list.tsx';
