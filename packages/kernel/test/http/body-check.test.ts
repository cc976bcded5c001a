import { Email, errors, Name, OptionalName } from '@waybill/contracts';
import Type, { type TSchema } from 'typebox';
import { createBodyCheck } from '../../src/http/validation.ts';
import { nullable } from '../../src/index.ts';

/** Returns the code of the refusal of a body, and its problems as `<pointer> <message>`. */
function findRefusal(schema: TSchema, body: unknown, found: { pointer: string; message: string }[] = []) {
  try {
    createBodyCheck(schema, errors)(body, found);
  } catch (error) {
    const { code, details } = error as ReturnType<typeof errors.invalid_body>;
    return [code, ...details!.map(({ pointer, message }) => `${pointer} ${message}`)];
  }
  return null;
}

describe('a value that may be of several kinds', () => {
  const address = Type.Object({ line1: Type.String({ maxLength: 5 }), city: nullable(Type.String()) });

  test('reports the problems of the type that was intended', () => {
    const schema = Type.Object({ addresses: Type.Array(nullable(address)), phone: nullable(Type.String()) });
    expect(findRefusal(schema, { addresses: [null, { line1: 'a', city: null }], phone: null })).toBeNull();
    expect(
      findRefusal(schema, { addresses: [{ line1: 'too long', city: 5 }, { city: 'X' }], phone: 5 }),
    ).toEqual([
      'invalid_body',
      '/addresses/0/line1 must have at most 5 characters',
      '/addresses/0/city must be a text or null',
      '/addresses/1/line1 is required',
      '/phone must be a text or null',
    ]);
  });

  test('reports the union’s own problem if two types could be intended, with the code of the field', () => {
    const two = Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]);
    expect(findRefusal(Type.Object({ two }), { two: {} })).toEqual([
      'invalid_body',
      '/two is not an allowed kind of value',
    ]);
    const price = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { errorCode: 'invalid_price' });
    expect(findRefusal(Type.Object({ price }), { price: -1 })).toEqual([
      'invalid_price',
      '/price must be at least 0',
    ]);
    expect(findRefusal(Type.Object({ price }), { price: 'x' })).toEqual([
      'invalid_price',
      '/price must be a whole number or null',
    ]);
  });
});

test('problems from reading a body are reported with those of its schema, under the schema’s code', () => {
  const status = Type.Enum(['draft', 'active'], { errorCode: 'invalid_status' });
  const schema = Type.Object({ name: Type.String(), status });
  const found = [{ pointer: '/name', message: 'must not contain NUL' }];
  expect(findRefusal(schema, { name: '\0', status: 'draft' }, found)).toEqual([
    'invalid_body',
    '/name must not contain NUL',
  ]);
  expect(findRefusal(schema, { name: '\0', status: 'bad' }, found)).toEqual([
    'invalid_status',
    '/status must be one of: draft, active',
    '/name must not contain NUL',
  ]);
});

describe('a name', () => {
  const schema = Type.Object({ name: Name(), note: Type.Optional(nullable(OptionalName({ maxLength: 5 }))) });

  test.each([
    '',
    '   ',
    '\t\n',
    '\u00a0',
    '\u200b',
    '\u200b \u2060',
    '\u00ad',
    '\ufeff',
    '\u3164',
    '\u2800',
    '\u0007',
    '\u{e0001}',
  ])('without a visible character is refused: %j', (name) => {
    expect(findRefusal(schema, { name })?.[0]).toBe('invalid_body');
    if (name !== '') expect(findRefusal(schema, { name: 'Tea', note: name })?.[0]).toBe('invalid_body');
  });

  test('is trimmed before it is counted and stored', () => {
    const body = { name: ` \u3000${'x'.repeat(200)}\u0085\n`, note: '  five5  ' };
    expect(findRefusal(schema, body)).toBeNull();
    expect(body).toEqual({ name: 'x'.repeat(200), note: 'five5' });
    expect(findRefusal(schema, { name: 'x'.repeat(201) })).toEqual([
      'invalid_body',
      '/name must have at most 200 characters',
    ]);
    for (const note of ['', null]) expect(findRefusal(schema, { name: '👩‍👩‍👧', note })).toBeNull();
  });
});

describe('an e-mail address', () => {
  const schema = Type.Object({ email: nullable(Email) });

  test.each([
    ['ann@example.com', 'ann@example.com'],
    ["o'brien+tag@mail.example.co.uk", "o'brien+tag@mail.example.co.uk"],
    ['ann@localhost', 'ann@localhost'],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
    ['ann@例え.jp', 'ann@xn--r8jz45g.jp'],
  ])('%j is one, stored as %j', (email, stored) => {
    const body = { email };
    expect(findRefusal(schema, body)).toBeNull();
    expect(body.email).toBe(stored);
  });

  test.each([
    '',
    'ann',
    'mailto:ann@example.com',
    'ann@@example.com',
    'ann@example..com',
    'ann@-example.com',
    'änn@example.com',
    'ann@exa mple.com',
    '<ann@example.com>',
    'Ann <ann@example.com>',
    'ann@example.com ',
    'ann@example.com,bob@example.com',
    `${'a'.repeat(250)}@b.de`,
    `ann@${'a'.repeat(64)}.com`,
    'ann@例/え.jp',
  ])('%j is none', (email) => {
    expect(findRefusal(schema, { email })?.[0]).toBe('invalid_body');
  });
});

test('further problems are found in the fields that keep to their schemas, and never of the others', async () => {
  const status = Type.Enum(['draft', 'active'], { errorCode: 'invalid_status' });
  const schema = Type.Object({
    name: Type.String(),
    url: Type.String(),
    status,
    'a/b': Type.Optional(Type.String()),
  });
  const check = createBodyCheck(schema, errors);
  const bodies: unknown[] = [];
  const findMore = async (fields: Record<string, unknown>, refused: ReadonlySet<string>) => {
    bodies.push(fields, [...refused]);
    return ['/url', '/status', '/name/0'].map((pointer) => ({ pointer, message: 'is wrong' }));
  };
  const found = [{ pointer: '/name', message: 'must not contain NUL' }];
  const body = { name: '\0', url: 'x', status: 'bad', 'a/b': 5 };
  await expect(check(body, found, findMore)).rejects.toMatchObject({
    code: 'invalid_status',
    details: ['/status', '/a~1b', '/name', '/url'].map((pointer) => expect.objectContaining({ pointer })),
  });
  expect(bodies).toEqual([{ url: 'x' }, ['status', 'a/b', 'name']]);
  expect(check({ name: 'a', url: 'x', status: 'draft' }, [], findMore)).toBeUndefined();
});
