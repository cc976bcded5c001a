import { type CallType, type DeliveryJob, type Rights, subjectOf } from '@waybill/contracts';

/** Whether somebody with these rights gets an event of that type with its whole data: `decisions.md 12.2`. */
export function mayRead(rights: Rights, type: CallType): boolean {
  const { permission } = subjectOf(type);
  return permission === null || (rights?.includes(permission) ?? false);
}

/** Reduces an event's `data` to the id of its subject, for readers without the right to more. */
export function reduceData(type: CallType, data: Record<string, unknown>): Record<string, unknown> {
  const { key } = subjectOf(type);
  const { id } = (data[key] ?? {}) as { id?: unknown };
  return typeof id === 'string' ? { [key]: { id } } : {};
}

/** The body of a call, or where it is, with no more in it than these rights allow. */
export function bodyFor(rights: Rights, type: CallType, body: DeliveryJob['body']): DeliveryJob['body'] {
  const isReduced = !mayRead(rights, type);
  if (typeof body !== 'string') return { ...body, isReduced };
  return isReduced ? reduceBody(type, body) : body;
}

/** Reduces an event's body likewise. */
export function reduceBody(type: CallType, body: string): string {
  const event = JSON.parse(body);
  return JSON.stringify({ ...event, data: reduceData(type, event.data) });
}
