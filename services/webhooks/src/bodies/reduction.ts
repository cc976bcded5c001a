import { type CallType, type DeliveryJob, getEventSubject, type Rights } from '@waybill/contracts';

/** Whether a reader with these rights gets events of this type with their full data: `decisions.md 12.2`. */
export function canReadFully(rights: Rights, type: CallType): boolean {
  const { permission } = getEventSubject(type);
  return permission === null || (rights?.includes(permission) ?? false);
}

/** Reduces an event's `data` to the id of its subject, for readers without the right to more. */
export function reduceData(type: CallType, data: Record<string, unknown>): Record<string, unknown> {
  const { key } = getEventSubject(type);
  const { id } = (data[key] ?? {}) as { id?: unknown };
  return typeof id === 'string' ? { [key]: { id } } : {};
}

/** Returns the body of a call, or its reference, reduced to what these rights allow. */
export function bodyFor(rights: Rights, type: CallType, body: DeliveryJob['body']): DeliveryJob['body'] {
  const isReduced = !canReadFully(rights, type);
  if (typeof body !== 'string') return { ...body, isReduced };
  return isReduced ? reduceBody(type, body) : body;
}

/** Reduces the `data` inside an event's body to the id of its subject. */
export function reduceBody(type: CallType, body: string): string {
  const event = JSON.parse(body);
  return JSON.stringify({ ...event, data: reduceData(type, event.data) });
}
