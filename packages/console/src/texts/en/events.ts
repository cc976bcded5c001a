import { plural } from '../texts.ts';

const words = {
  title: 'Events',
  subtitle:
    'What has happened in this store, as webhooks tell it. Kept for 30 days unless this system says otherwise.',
  empty: 'Nothing has happened in this time',
  emptyHint: 'Choose a longer time, or change something: a product saved is an event.',
  period: 'From',
  periods: {
    hour: 'The last hour',
    day: 'The last 24 hours',
    week: 'The last 7 days',
    all: 'All that is kept',
  },
  anyType: 'Any event',
  type: 'Event',
  code: 'Type',
  when: 'When',
  id: 'Id',
  shown: (count: number) =>
    plural('en', count, { one: 'event, newest first', other: 'events, newest first' }),
  data: 'The event',
  reducedHint: 'Where your role may not read what an event tells of, it is the id alone.',
  facts: 'Facts',
  endpoints: 'Who was called',
  noWebhooks: 'There are no webhooks.',
  notCalled: 'No webhook was called for it.',
  calledAt: (when: string) => `called ${when}`,
};

export default words;
export type EventWords = typeof words;
