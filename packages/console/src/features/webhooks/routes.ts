import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

export const webhookRoutes: readonly Route[] = [
  {
    path: 'webhooks',
    search: listSearch(),
    screen: lazyScreen(loadFeature, 'WebhookList'),
  },
  {
    path: 'webhooks/:webhookId',
    search: listSearch('status', 'eventType', 'eventId'),
    screen: lazyScreen(loadFeature, 'WebhookScreen'),
  },
  {
    path: 'webhooks/:webhookId/edit',
    screen: lazyScreen(loadFeature, 'EditWebhook'),
  },
  {
    path: 'webhooks/:webhookId/deliveries/:deliveryId',
    screen: lazyScreen(loadFeature, 'DeliveryScreen'),
  },
];
