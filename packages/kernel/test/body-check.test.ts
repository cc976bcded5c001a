import { errors } from '@waybill/contracts';
import Type, { type TSchema } from 'typebox';
import { bodyCheck } from '../src/http/validation.ts';
import { nullable } from '../src/index.ts';

/** What a body is told, as `<pointer> <message>`, under which code. */
function refusalOf(schema: TSchema, body: unknown, found: { pointer: string; message: string }[] = []) {
  try {
    bodyCheck(schema, errors)(body, found);
  } catch (error) {
    const { code, details } = error as ReturnType<typeof errors.invalid_body>;
    return [code, ...details!.map(({ pointer, message }) => `${pointer} ${message}`)];
  }
  return null;
}

describe('a value that may be of several kinds', () => {
  const address = Type.Object({ line1: Type.String({ maxLength: 5 }), city: nullable(Type.String()) });

  test('is told what is wrong within the kind that it was meant to be', () => {
    const schema = Type.Object({ addresses: Type.Array(nullable(address)), phone: nullable(Type.String()) });
    expect(refusalOf(schema, { addresses: [null, { line1: 'a', city: null }], phone: null })).toBeNull();
    expect(
      refusalOf(schema, { addresses: [{ line1: 'too long', city: 5 }, { city: 'X' }], phone: 5 }),
    ).toEqual([
      'invalid_body',
      '/addresses/0/line1 must have at most 5 characters',
      '/addresses/0/city must be a text or null',
      '/addresses/1/line1 is required',
      '/phone must be a text or null',
    ]);
  });

  test('is told so where it could be meant for two, and under the code of the field', () => {
    const two = Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]);
    expect(refusalOf(Type.Object({ two }), { two: {} })).toEqual([
      'invalid_body',
      '/two is none of the allowed kinds of value',
    ]);
    const price = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { errorCode: 'invalid_price' });
    expect(refusalOf(Type.Object({ price }), { price: -1 })).toEqual([
      'invalid_price',
      '/price must be at least 0',
    ]);
    expect(refusalOf(Type.Object({ price }), { price: 'x' })).toEqual([
      'invalid_price',
      '/price must be a whole number or null',
    ]);
  });
});

test('what reading a body has found is told with what its schema says, under the code of that', () => {
  const status = Type.Enum(['draft', 'active'], { errorCode: 'invalid_status' });
  const schema = Type.Object({ name: Type.String(), status });
  const found = [{ pointer: '/name', message: 'must not contain NUL' }];
  expect(refusalOf(schema, { name: '\0', status: 'draft' }, found)).toEqual([
    'invalid_body',
    '/name must not contain NUL',
  ]);
  expect(refusalOf(schema, { name: '\0', status: 'bad' }, found)).toEqual([
    'invalid_status',
    '/status must be one of: draft, active',
    '/name must not contain NUL',
  ]);
});
