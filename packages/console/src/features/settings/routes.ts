import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

export const settingsRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'settings',
    component: lazyScreen(loadFeature, 'GeneralSettings'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'settings/languages',
    component: lazyScreen(loadFeature, 'LanguageSettings'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'settings/domains',
    component: lazyScreen(loadFeature, 'DomainSettings'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'settings/checkout',
    component: lazyScreen(loadFeature, 'CheckoutSettings'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'settings/documents',
    component: lazyScreen(() => import('./documents.tsx'), 'DocumentSettings'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'settings/mails',
    component: lazyScreen(() => import('./mails.tsx'), 'MailTemplates'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'settings/mails/$kind',
    validateSearch: listSearch('locale'),
    component: lazyScreen(() => import('./mail.tsx'), 'MailTemplateScreen'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'settings/custom-fields',
    component: lazyScreen(loadFeature, 'CustomFieldSettings'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'settings/notifications',
    component: lazyScreen(loadFeature, 'NotificationSettings'),
  }),
];
