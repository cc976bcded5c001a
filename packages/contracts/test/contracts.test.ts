import fc from 'fast-check';
import {
  createCredential,
  errors,
  findFreeSlug,
  isWellFormedCredential,
  newId,
  numberedSlug,
  paymentCalls,
  publicEvents,
  rolePermissions,
  type Subscription,
  subscriptions,
} from '../src/index.ts';

describe('slugs', () => {
  test('a number is added within the maximum length of a slug', () => {
    expect(numberedSlug('a'.repeat(120), 12)).toBe('a'.repeat(117) + '-12');
  });
  test.each([0, 1, 2, 9, 10, 11, 15, 16, 17, 1000, 4095])(
    'after %i equal names the next is free',
    async (count) => {
      const used = new Set(Array.from({ length: count }, (_, i) => numberedSlug('tea', i + 1)));
      let questions = 0;
      const slug = await findFreeSlug('tea', async (candidates) => {
        questions++;
        return new Set(candidates.filter((candidate) => used.has(candidate)));
      });
      expect(slug).toBe(numberedSlug('tea', count + 1));
      expect(questions).toBeLessThan(30);
    },
  );
});

describe('credentials', () => {
  test('a generated credential is well-formed, and malformed after a change of any character', () => {
    fc.assert(
      fc.property(fc.nat(35), fc.constantFrom(...'09AZaz'), (at, other) => {
        const credential = createCredential('wbk');
        expect(isWellFormedCredential(credential)).toBe(true);
        const i = 4 + at;
        if (credential[i] !== other)
          expect(isWellFormedCredential(credential.slice(0, i) + other + credential.slice(i + 1))).toBe(
            false,
          );
      }),
    );
  });
});

describe('the message of invalid_body', () => {
  const createMessage = (count: number) =>
    errors.invalid_body({
      details: Array.from({ length: count }, (_, i) => ({ pointer: `/${i}`, message: 'is required' })),
    }).message;
  test('contains the first three problems, from any check', () => {
    expect(createMessage(0)).toBe('The request body is not valid.');
    expect(createMessage(1)).toBe('The request body is not valid: /0 is required.');
    expect(createMessage(4)).toBe(
      'The request body is not valid: /0 is required; /1 is required; /2 is required; and more.',
    );
  });
  test('reads as one sentence for a problem of the whole body', () => {
    const describe = (message: string) =>
      errors.invalid_body({ details: [{ pointer: '', message }] }).message;
    expect(describe('The body is not JSON.')).toBe('The request body is not valid: The body is not JSON.');
    expect(describe('refunds nothing')).toBe('The request body is not valid: the body refunds nothing.');
  });
});

describe('ids', () => {
  test('sort in the order they were made, also within one millisecond', () => {
    const ids = Array.from({ length: 5000 }, () => newId('product'));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(5000);
    expect(ids[0]).toMatch(/^prd_[0-9a-hjkmnp-tv-z]{26}$/);
  });
  test('begin with the time as a ULID does', () => {
    expect(newId('event', 1469918176385).slice(4, 14)).toBe('01aryz6s41');
  });
});

describe('roles', () => {
  test('a viewer reads everything and writes nothing; an editor does not write webhooks', () => {
    expect(rolePermissions.viewer.every((permission) => permission.endsWith('.read'))).toBe(true);
    expect(rolePermissions.editor).toContain('products.write');
    expect(rolePermissions.editor).not.toContain('webhooks.write');
    expect(rolePermissions.admin).toEqual(rolePermissions.owner);
  });
});

describe('subscriptions', () => {
  test('calls of payment apps have a separate queue, because older replicas fail on unknown events', () => {
    const listNames = ({ events }: { events: readonly { name: string }[] }) => events.map(({ name }) => name);
    expect(listNames(subscriptions.webhookLifecycle)).toEqual([
      'app-platform.webhook.changed',
      'app-platform.app.installed',
      'app-platform.app.updated',
      'app-platform.app.disabled',
      'app-platform.app.enabled',
      'app-platform.app.uninstalled',
    ]);
    expect(listNames(subscriptions.webhookPaymentCalls).sort()).toEqual(
      listNames({ events: Object.values(paymentCalls) }).sort(),
    );
    expect(subscriptions.webhookPaymentCalls.queue).toBe('webhooks.payment-calls');
  });
});

describe('subscriptions', () => {
  test('all that want an event agree on whether it shares messages, which public events do', () => {
    const all: readonly Subscription[] = Object.values(subscriptions);
    const sharing = new Set(all.filter((each) => each.acceptsBatches).flatMap(({ events }) => events));
    // Events about one object keep their order only in one queue.
    expect(publicEvents.filter((event) => !sharing.has(event))).toEqual([]);
    const others = all.filter((each) => !each.acceptsBatches).flatMap(({ events }) => events);
    expect(others.filter((event) => sharing.has(event))).toEqual([]);
  });
});
