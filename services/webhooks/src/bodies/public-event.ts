import { type CallType, findSubjectId } from '@waybill/contracts';

/** An event for which calls are made: `store-api.md 6.2`. */
export interface PublicEvent {
  /** The owner of the called endpoints: a store's id, or the id of the app that is told about its installs. */
  storeId: string;
  id: string;
  type: CallType;
  createdAt: string;
  /** The data as JSON. */
  data: string;
  /** The W3C traceparent. */
  trace?: string;
}

/** Builds the body of every attempt (`store-api.md 6.2`). `data` keeps the exact bytes that the service committed. */
export function envelope({ id, type, createdAt, data }: Omit<PublicEvent, 'storeId'>): string {
  return `{"id":${JSON.stringify(id)},"type":"${type}","createdAt":"${createdAt}","data":${data}}`;
}

/**
 * Returns the id of the object that an event is about, for types whose calls about one object are ordered. `data` is
 * JSON (`decisions.md 24.1`).
 */
export const orderedResource = (type: CallType, data: string): string | null =>
  type.startsWith('course.') ? null : findSubjectId(type, data);
