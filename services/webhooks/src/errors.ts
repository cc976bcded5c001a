import { defineErrors, errors as shared } from '@waybill/contracts';

/** The errors of webhooks in addition to the shared ones: `store-api.md 7.1`, `decisions.md 6`. */
export const errors = {
  ...shared,
  ...defineErrors({
    blocked_url: [400, 'The URL leads to an address that webhook calls must not go to.'],
    no_events: [400, 'A webhook needs at least one event type.'],
    invalid_event: [400, 'There is no such event type.'],
    cursor_expired: [410, 'The event after which to read is no longer in the log: read from its beginning.'],
    too_many_webhooks: [409, 'A store has at most 50 webhooks.'],
  }),
};
