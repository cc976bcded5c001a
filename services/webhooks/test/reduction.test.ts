import { eventTypes, permissions } from '@waybill/contracts';
import { bodyFor, canReadFully, reduceData } from '../src/bodies/reduction.ts';

const body = (type: string, data: object) =>
  JSON.stringify({ id: 'evt_1', type, createdAt: '2026-11-20T10:00:00.000Z', data });

describe('an event for a reader', () => {
  test.each([
    ['order.updated', 'order', 'orders.read'],
    ['customer.created', 'customer', 'customers.read'],
    ['product.deleted', 'product', 'products.read'],
    ['page.published', 'page', 'pages.read'],
    ['page.unpublished', 'page', 'pages.read'],
    ['form.submitted', 'formSubmission', 'forms.read'],
  ] as const)('%s holds the id of its %s alone without %s', (type, key, permission) => {
    const whole = body(type, { [key]: { id: 'x_1', name: 'Ann' }, more: { id: 'y_1' } });
    expect(bodyFor([permission], type, whole)).toBe(whole);
    const others = permissions.filter((each) => each !== permission);
    expect(bodyFor(others, type, whole)).toBe(body(type, { [key]: { id: 'x_1' } }));
  });

  test.each(['course.enrolled', 'course.revoked'] as const)('%s is complete for every reader', (type) => {
    const whole = body(type, { course: { id: 'c' }, student: 'Ann' });
    expect(bodyFor([], type, whole)).toBe(whole);
  });

  test('is empty if its id is missing', () => {
    for (const data of [
      {},
      { order: null },
      { order: 'Ann' },
      { order: { id: { name: 'Ann' } } },
      { id: 'Ann' },
    ])
      expect(reduceData('order.created', data)).toEqual({});
  });

  test('of a kind that needs a permission is hidden from readers without it', () => {
    const whole = eventTypes.filter((type) => canReadFully([], type) || canReadFully(null, type));
    expect(whole).toEqual(['customer.deleted', 'course.enrolled', 'course.revoked']);
  });
});
