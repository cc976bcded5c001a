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
