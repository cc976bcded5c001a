import {
  type CallType,
  type Envelope,
  type FilterCondition,
  matchesFilter,
  type Rights,
} from '@waybill/contracts';
import type { PublicEvent } from '../bodies/public-event.ts';
import { canReadFully, reduceData } from '../bodies/reduction.ts';

/** Judges one event by the filters of endpoints. Its body is parsed once, and only if some endpoint has a filter. */
export class FilteredEvent {
  readonly #event: Omit<PublicEvent, 'storeId' | 'trace'>;
  #fullEnvelope: Envelope | undefined;
  #reducedEnvelope: Envelope | undefined;

  constructor(event: Omit<PublicEvent, 'storeId' | 'trace'>) {
    this.#event = event;
  }

  /**
   * Whether the event passes the filter in the form that a reader with these rights sees (`decisions.md 24.1`). While
   * the rights are unknown (undefined), passing in either form suffices, because a surplus call is better than a lost
   * one.
   */
  matches(filter: readonly FilterCondition[] | null, rights: Rights | undefined): boolean {
    if (filter === null) return true;
    if (rights === undefined)
      return (
        matchesFilter(filter, this.#readEnvelope(false)) || matchesFilter(filter, this.#readEnvelope(true))
      );
    return matchesFilter(filter, this.#readEnvelope(!canReadFully(rights, this.#event.type)));
  }

  #readEnvelope(isReduced: boolean): Envelope {
    const { id, type, createdAt, data } = this.#event;
    this.#fullEnvelope ??= { id, type, createdAt, data: JSON.parse(data) };
    if (!isReduced) return this.#fullEnvelope;
    this.#reducedEnvelope ??= {
      ...this.#fullEnvelope,
      data: reduceData(type, this.#fullEnvelope.data as Record<string, unknown>),
    };
    return this.#reducedEnvelope;
  }
}

/** Creates the filtered event of a stored body. */
export function toFilteredEvent(type: CallType, body: string): FilteredEvent {
  const { id, createdAt, data } = JSON.parse(body) as { id: string; createdAt: string; data: unknown };
  return new FilteredEvent({ id, type, createdAt, data: JSON.stringify(data) });
}
