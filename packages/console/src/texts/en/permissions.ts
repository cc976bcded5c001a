import type { Domain } from '@waybill/contracts/permissions';
import type { Compiled } from '../messages.ts';

/** Descriptions of all permissions, including those that nothing requires yet. */
const words: Readonly<Record<Domain, { name: string; read: string; write: string }>> = {
  products: {
    name: 'Products',
    read: 'See all products and stock',
    write: 'Create, change and delete products',
  },
  orders: {
    name: 'Orders',
    read: 'See orders, with names and addresses',
    write: 'Place, change and cancel orders',
  },
  customers: {
    name: 'Customers',
    read: 'See customers, with e-mail and address',
    write: 'Create, change and delete customers',
  },
  discounts: {
    name: 'Discounts',
    read: 'See discounts and their codes',
    write: 'Create, change and delete discounts',
  },
  blog: { name: 'Blog', read: 'See articles, drafts included', write: 'Write, publish and delete articles' },
  integrations: { name: 'Integrations', read: 'See integrations', write: 'Change integrations' },
  pages: { name: 'Pages', read: 'See pages, drafts included', write: 'Change, publish and delete pages' },
  theme: { name: 'Theme', read: 'See the theme', write: 'Change the theme' },
  media: { name: 'Media', read: 'See all files', write: 'Upload, change and delete files' },
  codefiles: { name: 'Code files', read: 'No effect yet', write: 'No effect yet' },
  webhooks: {
    name: 'Webhooks',
    read: 'See webhooks, deliveries and events',
    write: 'Create, change and delete webhooks',
  },
  forms: { name: 'Forms', read: 'See form submissions', write: 'Delete form submissions' },
  translations: { name: 'Translations', read: 'See translations', write: 'Write translations' },
  appdata: {
    name: 'App data',
    read: 'Read its own data about the store',
    write: 'Store its own data about the store',
  },
};

export default words;
export type PermissionWords = Compiled<typeof words>;
