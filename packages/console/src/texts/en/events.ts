import type { Compiled } from '../messages.ts';

const words = {
  title: 'Events',
  subtitle: 'Everything that happened in this store, as sent to webhooks. Usually kept for 30 days.',
  empty: 'No events in this period',
  emptyHint: 'Choose a longer period. Events appear when something changes, such as a product.',
  period: 'Period',
  periods: {
    hour: 'Last hour',
    day: 'Last 24 hours',
    week: 'Last 7 days',
    all: 'All events',
  },
  anyType: 'Any event',
  type: 'Event',
  code: 'Type',
  when: 'Time',
  id: 'ID',
  shown: '{count, plural, one {# event, newest first} other {# events, newest first}}',
  data: 'Event data',
  reducedHint: 'If your role can’t read an event’s data, you only see its ID.',
  facts: 'Details',
  endpoints: 'Deliveries',
  noWebhooks: 'No webhooks yet.',
  notCalled: 'This event wasn’t sent to any webhook.',
  calledAt: 'sent {when}',
} as const;

export default words;
export type EventWords = Compiled<typeof words>;
