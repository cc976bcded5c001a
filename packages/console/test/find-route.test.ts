import { createRouteFinder } from '../src/router/find-route.ts';

const find = createRouteFinder(
  [
    'stores/:storeId/orders/:orderId',
    'stores/:storeId/orders/new',
    'stores/:storeId/orders',
    'stores/:storeId/*',
    '',
    '*',
  ].map((path) => ({ path })),
);
const found = (pathname: string) => {
  const { route, params } = find({ pathname });
  return [route.path, params];
};

test('a fixed segment of a path wins over a parameter, whatever the order of the routes', () => {
  expect(found('/console/stores/str_1/orders/new')).toEqual([
    'stores/:storeId/orders/new',
    { storeId: 'str_1' },
  ]);
  expect(found('/console/stores/str_1/orders/ord_1')).toEqual([
    'stores/:storeId/orders/:orderId',
    { storeId: 'str_1', orderId: 'ord_1' },
  ]);
});

test('a slash at the end changes nothing', () => {
  expect(found('/console')).toEqual(['', {}]);
  expect(found('/console/')).toEqual(['', {}]);
  expect(found('/console/stores/str_1/orders/')[0]).toBe('stores/:storeId/orders');
});

test('an address without a screen has the nearest route that matches anything', () => {
  expect(found('/console/stores/str_1/nothing/here')[0]).toBe('stores/:storeId/*');
  expect(found('/console/nothing')[0]).toBe('*');
});

test('parameters are decoded, and stay as they are where that is impossible', () => {
  expect(found('/console/stores/a%20b/orders')[1]).toEqual({ storeId: 'a b' });
  expect(found('/console/stores/%E0%A4%A/orders')[1]).toEqual({ storeId: '%E0%A4%A' });
});
