import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';

export type Event = Model<'Event'>;
export type EventSearch = ListSearch & { type?: string; period?: string };

export const eventsKey = (storeId: string) => ['stores', storeId, 'events'];

const hourMs = 3_600_000;
/** Periods of the event log, in milliseconds. Null: all events that are kept. */
export const periods = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs, all: null } as const;
export type Period = keyof typeof periods;
export const defaultPeriod: Period = 'day';

export const readPeriod = (search: EventSearch): Period =>
  search.period !== undefined && Object.hasOwn(periods, search.period)
    ? (search.period as Period)
    : defaultPeriod;

/** Reads a page of the event log, newest first (`decisions.md 12.1`). */
export function readEvents(storeId: string, search: EventSearch, signal: AbortSignal) {
  const length = periods[readPeriod(search)];
  const query = {
    dir: 'desc' as const,
    limit: 50,
    fields: 'id,type,createdAt',
    ...(length !== null && { since: new Date(Date.now() - length).toISOString() }),
    ...(search.type && { type: search.type }),
    ...(search.after && { after: search.after }),
  };
  return api.get('/api/stores/{storeId}/events', { params: { path: { storeId }, query }, signal });
}

export const eventQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...eventsKey(storeId), id],
    queryFn: async ({ signal }) =>
      (await api.get('/api/stores/{storeId}/events/{id}', { params: { path: { storeId, id } }, signal }))
        .event,
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * Reads the deliveries of an event, one request per webhook in parallel, because the API cannot list them across
 * webhooks.
 */
export const callsQuery = (storeId: string, eventId: string) =>
  queryOptions({
    queryKey: [...eventsKey(storeId), eventId, 'calls'],
    queryFn: async ({ signal }) => {
      const { webhooks } = await api.get('/api/stores/{storeId}/webhooks', {
        params: { path: { storeId }, query: { limit: 50 } },
        signal,
      });
      const calls = await Promise.all(
        webhooks.map(async ({ id, url }) => {
          const { deliveries } = await api.get('/api/stores/{storeId}/webhooks/{id}/deliveries', {
            params: { path: { storeId, id }, query: { eventId, limit: 10 } },
            signal,
          });
          return deliveries.map((delivery) => ({ ...delivery, url }));
        }),
      );
      return { webhooks: webhooks.length, calls: calls.flat() };
    },
  });
