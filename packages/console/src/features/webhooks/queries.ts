import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { type ListSearch, pollMs } from '../../api/list.ts';

export type Webhook = Model<'Webhook'>;
export type WebhookInput = Model<'WebhookInput'>;
export type Delivery = Model<'WebhookDelivery'>;
export type Attempt = Model<'WebhookAttempt'>;
export type Replay = Model<'WebhookReplay'>;
export type EventType = Webhook['events'][number];
export type DeliverySearch = ListSearch & { status?: string; eventType?: string; eventId?: string };

export const webhooksKey = (storeId: string) => ['stores', storeId, 'webhooks'];
export const deliveriesKey = (storeId: string, id: string) => [...webhooksKey(storeId), id, 'deliveries'];
export const replaysKey = (storeId: string, id: string) => [...webhooksKey(storeId), id, 'replays'];

/** Reads a page of the store's webhooks. Pages are small, because each row reads its last delivery. */
export const readWebhooks = (storeId: string, { after }: ListSearch, signal: AbortSignal) =>
  api.get('/api/stores/{storeId}/webhooks', {
    params: { path: { storeId }, query: { limit: 20, ...(after && { after }) } },
    signal,
  });

/** Reads a webhook with its ETag. */
export const webhookQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...webhooksKey(storeId), id, 'item'],
    queryFn: async ({ signal }) => {
      const response = await api.fetch(`/api/stores/${storeId}/webhooks/${id}`, { signal });
      const { webhook } = (await response.json()) as { webhook: Webhook };
      return { webhook, etag: response.headers.get('etag') };
    },
  });

export const lastCallQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...deliveriesKey(storeId, id), 'last'],
    queryFn: async ({ signal }) => {
      const params = { path: { storeId, id }, query: { limit: 1 } };
      const { deliveries } = await api.get('/api/stores/{storeId}/webhooks/{id}/deliveries', {
        params,
        signal,
      });
      return deliveries[0] ?? null;
    },
  });

export const statsQuery = (storeId: string, id: string, hours: number) =>
  queryOptions({
    queryKey: [...deliveriesKey(storeId, id), 'stats', hours],
    queryFn: async ({ signal }) => {
      const params = { path: { storeId, id }, query: { hours } };
      return (await api.get('/api/stores/{storeId}/webhooks/{id}/stats', { params, signal })).stats;
    },
  });

/** Reads a page of a webhook's deliveries, newest first. */
export function readDeliveries(storeId: string, id: string, search: DeliverySearch, signal: AbortSignal) {
  const query = { limit: 25, ...search } as { limit: number; status?: Delivery['status'] };
  return api.get('/api/stores/{storeId}/webhooks/{id}/deliveries', {
    params: { path: { storeId, id }, query },
    signal,
  });
}

/** Whether an attempt is running or due, so that polling makes sense. */
export const isUnderway = ({ status, nextAttemptAt }: Pick<Delivery, 'status' | 'nextAttemptAt'>) =>
  status === 'pending' ||
  (status === 'retrying' && nextAttemptAt !== null && Date.parse(nextAttemptAt) < Date.now() + pollMs);

/** Reads a delivery with its attempts, and polls until the current attempt has ended. */
export const deliveryQuery = (storeId: string, id: string, deliveryId: string) =>
  queryOptions({
    queryKey: [...deliveriesKey(storeId, id), deliveryId],
    queryFn: async ({ signal }) => {
      const path = { storeId, id, deliveryId };
      const answer = await api.get('/api/stores/{storeId}/webhooks/{id}/deliveries/{deliveryId}', {
        params: { path },
        signal,
      });
      return answer.delivery;
    },
    refetchInterval: ({ state }) => (state.data && isUnderway(state.data) ? pollMs : false),
  });

/** Reads the event of a delivery from the log or, for a test call, the sample of its type (`decisions.md 12.5`). */
export const eventQuery = (storeId: string, { eventId, eventType, isTest, createdAt }: Delivery) =>
  queryOptions({
    queryKey: ['stores', storeId, 'events', eventId],
    queryFn: async ({ signal }): Promise<Model<'Event'>> => {
      if (!isTest) {
        const params = { path: { storeId, id: eventId } };
        return (await api.get('/api/stores/{storeId}/events/{id}', { params, signal })).event;
      }
      const params = { path: { storeId } };
      const { eventTypes } = await api.get('/api/stores/{storeId}/event-types', { params, signal });
      const { sample } = eventTypes.find(({ type }) => type === eventType)!;
      return { id: eventId, type: eventType, createdAt, data: sample };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Reads the newest replays of a webhook, and polls while one is running. */
export const replaysQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: replaysKey(storeId, id),
    queryFn: async ({ signal }) => {
      const params = { path: { storeId, id }, query: { limit: 5 } };
      return (await api.get('/api/stores/{storeId}/webhooks/{id}/replays', { params, signal })).replays;
    },
    refetchInterval: ({ state }) =>
      state.data?.some((replay) => replay.state === 'running') ? pollMs : false,
  });

/** Reads the newest events of these types, to test a filter. */
export const latestEventsQuery = (storeId: string, types: readonly EventType[]) =>
  queryOptions({
    queryKey: ['stores', storeId, 'events', 'latest', ...types],
    queryFn: async ({ signal }): Promise<Model<'Event'>[]> => {
      const query = { dir: 'desc' as const, limit: 100, ...(types.length > 0 && { type: types.join() }) };
      const params = { path: { storeId }, query };
      return (await api.get('/api/stores/{storeId}/events', { params, signal })).events as Model<'Event'>[];
    },
    staleTime: 60_000,
  });

/** Returns the destination of calls: a URL or the address of a queue. */
export function getAddress({ url, destination }: Webhook): string {
  if (url !== null) return url;
  if (destination.kind === 'sqs') return destination.queueUrl;
  return destination.kind === 'rabbitmq' ? destination.url : '';
}

/** Returns the fields of a webhook that a PUT accepts. */
export const toInput = ({
  id: _id,
  status: _status,
  appId: _appId,
  reducedEvents: _reducedEvents,
  previousSecretExpiresAt: _expiresAt,
  createdAt: _createdAt,
  updatedAt: _updatedAt,
  ...input
}: Webhook): WebhookInput => input;
