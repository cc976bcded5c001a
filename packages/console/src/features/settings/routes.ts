import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

export const settingsRoutes: readonly Route[] = [
  {
    path: 'settings',
    screen: lazyScreen(loadFeature, 'GeneralSettings'),
  },
  {
    path: 'settings/languages',
    screen: lazyScreen(loadFeature, 'LanguageSettings'),
  },
  {
    path: 'settings/domains',
    screen: lazyScreen(loadFeature, 'DomainSettings'),
  },
  {
    path: 'settings/checkout',
    screen: lazyScreen(loadFeature, 'CheckoutSettings'),
  },
  {
    path: 'settings/documents',
    screen: lazyScreen(() => import('./documents.tsx'), 'DocumentSettings'),
  },
  {
    path: 'settings/mails',
    screen: lazyScreen(() => import('./mails.tsx'), 'MailTemplates'),
  },
  {
    path: 'settings/mails/:kind',
    search: listSearch('locale'),
    screen: lazyScreen(() => import('./mail.tsx'), 'MailTemplateScreen'),
  },
  {
    path: 'settings/custom-fields',
    screen: lazyScreen(loadFeature, 'CustomFieldSettings'),
  },
  {
    path: 'settings/notifications',
    screen: lazyScreen(loadFeature, 'NotificationSettings'),
  },
];
