import { type CallType, subjectIn } from '@waybill/contracts';

/** An event that calls are made for, `store-api.md 6.2`. */
export interface PublicEvent {
  /** Whose endpoints are called: a store's id, or that of the app that is told of its installs. */
  storeId: string;
  id: string;
  type: CallType;
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

/** The thing that an event tells of, where calls about one thing have an order; `data` is JSON. `decisions.md 24.1`. */
export const orderedResource = (type: CallType, data: string): string | null =>
  type.startsWith('course.') ? null : subjectIn(type, data);
