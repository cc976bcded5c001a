import { type ApiError, errors, newId, type Principal } from '@waybill/contracts';
import {
  appRefusal,
  notFoundMessage,
  roleRefusal,
  scopeRefusal,
  withNotFoundMessage,
} from '../../src/http/refusals.ts';
import type { RouteDefinition } from '../../src/http/route.ts';

const key: Principal = {
  kind: 'apiKey',
  storeId: newId('store'),
  keyId: newId('apiKey'),
  scopes: ['products.read', 'orders.write'],
  creatorPermissions: ['products.read'],
};
const app: Principal = {
  kind: 'app',
  storeId: key.storeId,
  appId: newId('app'),
  installId: newId('install'),
  scopes: ['products.read'],
};

test.each([
  [
    'a key without the scope',
    scopeRefusal(key, 'products.write'),
    'products.write',
    /an admin .* make a key/,
  ],
  ['a key whose maker has lost it', scopeRefusal(key, 'orders.write'), 'orders.write', /its maker no longer/],
  [
    'an app',
    scopeRefusal(app, 'products.write'),
    'products.write',
    /a version of the app .* the merchant to agree/,
  ],
  ['a key where only apps may', appRefusal(key, 'appdata.read'), 'appdata.read', /an app's token/],
  ['an app where only apps may', appRefusal(app, 'appdata.read'), 'appdata.read', /the merchant to agree/],
  ['a role', roleRefusal('viewer', 'pages.write'), 'pages.write', /viewer; it takes editor, admin or owner/],
])('%s learns which permission is missing, and who can give it', (_, refusal: ApiError, permission, who) => {
  expect(refusal.status).toBe(403);
  expect(refusal.envelope()).toMatchObject({ permission, error: expect.stringContaining(permission) });
  expect(refusal.message).toMatch(who);
});

test('a member without the right to manage a store learns which roles have it', () => {
  const refusal = roleRefusal('editor', 'manager');
  expect(refusal.message).toContain('editor; it takes admin or owner');
  expect(refusal.envelope()).not.toHaveProperty('permission');
});

describe('what is not there', () => {
  const route = (ids: RouteDefinition['ids']): RouteDefinition => ({
    method: 'GET',
    path: '/api/stores/{storeId}/things',
    access: 'user',
    summary: 'Things',
    answer: [200, null],
    ...(ids && { ids }),
  });
  const describeRefusal = (ids: RouteDefinition['ids'], error: unknown = errors.not_found()) =>
    (withNotFoundMessage(error, notFoundMessage(route(ids))) as Error).message;

  test('is named by its kind', () => {
    expect(describeRefusal({ id: 'product' })).toBe('This product does not exist.');
    expect(describeRefusal({ storeId: 'store', id: 'mediaAsset' })).toBe('This media asset does not exist.');
    expect(describeRefusal({ storeId: 'store' })).toBe('This store does not exist.');
  });

  test('is one of several kinds, without revealing which', () => {
    expect(describeRefusal({ id: 'webhookEndpoint', deliveryId: 'webhookDelivery' })).toBe(
      'This webhook or delivery does not exist.',
    );
  });

  test('keeps its own message, details and headers; other errors stay unchanged', () => {
    expect(
      describeRefusal({ id: 'product' }, errors.not_found({ message: 'No user has this e-mail address.' })),
    ).toBe('No user has this e-mail address.');
    const details = [{ pointer: '/ids/3', message: 'is no asset of this store' }];
    const message = notFoundMessage(route({ id: 'product' }));
    const named = withNotFoundMessage(errors.not_found({ details, headers: { 'x-a': '1' } }), message);
    expect(named).toMatchObject({ details, headers: { 'x-a': '1' }, code: 'not_found' });
    const other = errors.invalid_state();
    expect(withNotFoundMessage(other, message)).toBe(other);
  });
});
