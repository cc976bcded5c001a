import {
  type CallType,
  type Envelope,
  type FilterCondition,
  passesFilter,
  type Rights,
} from '@waybill/contracts';
import type { PublicEvent } from '../bodies/public-event.ts';
import { mayRead, reduceData } from '../bodies/reduction.ts';

/** Judges one event by the filters of endpoints. Its body is parsed once, and only if some endpoint has a filter. */
export class FilteredEvent {
  readonly #event: Omit<PublicEvent, 'storeId' | 'trace'>;
  #whole: Envelope | undefined;
  #reduced: Envelope | undefined;

  constructor(event: Omit<PublicEvent, 'storeId' | 'trace'>) {
    this.#event = event;
  }

  /**
   * Whether the event passes the filter in the form that a reader with these rights sees (`decisions.md 24.1`). While
   * the rights are unknown (undefined), passing in either form suffices, because a surplus call is better than a lost
   * one.
   */
  passes(filter: readonly FilterCondition[] | null, rights: Rights | undefined): boolean {
    if (filter === null) return true;
    if (rights === undefined)
      return passesFilter(filter, this.#read(false)) || passesFilter(filter, this.#read(true));
    return passesFilter(filter, this.#read(!mayRead(rights, this.#event.type)));
  }

  #read(isReduced: boolean): Envelope {
    const { id, type, createdAt, data } = this.#event;
    this.#whole ??= { id, type, createdAt, data: JSON.parse(data) };
    if (!isReduced) return this.#whole;
    this.#reduced ??= { ...this.#whole, data: reduceData(type, this.#whole.data as Record<string, unknown>) };
    return this.#reduced;
  }
}

/** Creates the filtered event of a stored body. */
export function filteredBody(type: CallType, body: string): FilteredEvent {
  const { id, createdAt, data } = JSON.parse(body) as { id: string; createdAt: string; data: unknown };
  return new FilteredEvent({ id, type, createdAt, data: JSON.stringify(data) });
}
