export { EventScreen } from './event.tsx';
export { EventList } from './list.tsx';
