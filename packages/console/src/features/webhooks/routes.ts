import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

export const webhookRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'webhooks',
    validateSearch: listSearch(),
    component: lazyScreen(loadFeature, 'WebhookList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'webhooks/$webhookId',
    validateSearch: listSearch('status', 'eventType', 'eventId'),
    component: lazyScreen(loadFeature, 'WebhookScreen'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'webhooks/$webhookId/edit',
    component: lazyScreen(loadFeature, 'EditWebhook'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'webhooks/$webhookId/deliveries/$deliveryId',
    component: lazyScreen(loadFeature, 'DeliveryScreen'),
  }),
];
