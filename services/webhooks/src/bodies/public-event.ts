import type { EventType } from '@waybill/contracts';

/** An event of the public catalogue, `store-api.md 6.2`. */
export interface PublicEvent {
  storeId: string;
  id: string;
  type: EventType;
  createdAt: string;
  /** JSON. */
  data: string;
  /** W3C traceparent. */
  trace?: string;
}

/** The body of every attempt, `store-api.md 6.2`; `data` stays the bytes that the service committed. */
export function envelope({ id, type, createdAt, data }: Omit<PublicEvent, 'storeId'>): string {
  return `{"id":${JSON.stringify(id)},"type":"${type}","createdAt":"${createdAt}","data":${data}}`;
}
