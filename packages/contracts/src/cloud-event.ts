import { type CallType, getEventSubject } from './events.ts';

/** The text between the head of an envelope and its data; no value of the head contains it. */
const beforeData = ',"data":';

/**
 * Returns an envelope as CloudEvents 1.0 writes it in structured mode: `decisions.md 24.1`. The bytes of its data stay
 * the same.
 */
export function toCloudEvent(storeId: string, envelope: string): string {
  const at = envelope.indexOf(beforeData);
  const { id, type, createdAt } = JSON.parse(`${envelope.slice(0, at)}}`);
  const data = envelope.slice(at + beforeData.length, -1);
  const subject = findSubjectId(type, data);
  const head = {
    specversion: '1.0',
    id,
    source: `/stores/${storeId}`,
    type,
    ...(subject !== null && { subject }),
    time: createdAt,
    datacontenttype: 'application/json',
  };
  return `${JSON.stringify(head).slice(0, -1)}${beforeData}${data}}`;
}

/** Returns the id of the thing that an event is about; null if it has none. */
export function findSubjectId(type: CallType, data: string): string | null {
  const { id } = (JSON.parse(data)[getEventSubject(type).key] ?? {}) as { id?: unknown };
  return typeof id === 'string' ? id : null;
}
