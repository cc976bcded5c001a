import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

const room = () => import('./index.tsx');

export const webhookRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'webhooks',
    validateSearch: listSearch(),
    component: lazyRouteComponent(room, 'WebhookList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'webhooks/$webhookId',
    validateSearch: listSearch('status', 'eventType', 'eventId'),
    component: lazyRouteComponent(room, 'WebhookScreen'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'webhooks/$webhookId/edit',
    component: lazyRouteComponent(room, 'EditWebhook'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'webhooks/$webhookId/deliveries/$deliveryId',
    component: lazyRouteComponent(room, 'DeliveryScreen'),
  }),
];
