export { DeliveryScreen } from './delivery.tsx';
export { EditWebhook } from './editor.tsx';
export { WebhookList } from './list.tsx';
export { WebhookScreen } from './webhook.tsx';
