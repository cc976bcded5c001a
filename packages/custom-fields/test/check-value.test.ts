import { type CustomFieldRules, type CustomFieldType, customFieldTypes, newId } from '@waybill/contracts';
import fc from 'fast-check';
import { checkValue, definitionProblems, isEmptyValue, noRules } from '../src/index.ts';

const check = (
  type: CustomFieldType,
  value: unknown,
  rules: Partial<CustomFieldRules> = {},
  options: string[] = [],
) => checkValue({ type, options, rules: { ...noRules, ...rules } }, value);
const isRight = (...given: Parameters<typeof check>) => 'value' in check(...given);

const right: readonly [CustomFieldType, unknown, string[]?][] = [
  ['text', ''],
  ['text', '😀'.repeat(1_000)],
  ['longText', 'a'.repeat(50_000)],
  ['richText', '<p>Linen</p>'],
  ['integer', -3],
  ['integer', Number.MAX_SAFE_INTEGER],
  ['decimal', 0.1],
  ['boolean', false],
  ['date', '2024-02-29'],
  ['instant', '2026-11-26T10:00:00+01:00'],
  ['url', 'https://example.com/a?b=c#d'],
  ['color', '#c0ffee'],
  ['color', '#FFF'],
  ['select', 'Linen', ['Linen', 'Silk']],
  ['multiSelect', ['Silk', 'Linen'], ['Linen', 'Silk']],
  ['multiSelect', [], ['Linen']],
  ['media', newId('mediaAsset')],
  ['product', newId('product')],
  ['list', Array.from({ length: 50 }, () => 'a')],
];
const wrong: readonly [CustomFieldType, unknown, string[]?][] = [
  ['text', 1],
  ['text', '\ud800'],
  ['text', 'a'.repeat(1_001)],
  ['longText', 'a'.repeat(50_001)],
  ['richText', null],
  ['integer', 1.5],
  ['integer', '1'],
  ['integer', 2 ** 53],
  ['decimal', '1.5'],
  ['boolean', 'true'],
  ['date', '2026-02-29'],
  ['date', '2026-11-26T10:00:00Z'],
  ['instant', '2026-11-26'],
  ['instant', '2026-11-26T10:00:00'],
  ['url', 'javascript:alert(1)'],
  ['url', '/relative'],
  ['url', 'https://user:pw@example.com/'],
  ['url', 'https://bank.example@example.com/'],
  ['url', 'https://a b'],
  ['color', 'red'],
  ['color', '#12345'],
  ['select', 'Wool', ['Linen']],
  ['select', ['Linen'], ['Linen']],
  ['multiSelect', ['Linen', 'Linen'], ['Linen']],
  ['multiSelect', 'Linen', ['Linen']],
  ['media', newId('product')],
  ['product', 'prd_1'],
  ['list', Array.from({ length: 51 }, () => 'a')],
  ['list', ['a', 1]],
];

describe('values', () => {
  test.each([
    ['text', ' \u200b\u2060', true],
    ['longText', '\n\u00ad', true],
    ['text', '0', false],
    ['richText', '', true],
    ['richText', '<p></p>', true],
    ['richText', '<p>&nbsp;<br />\u200b</p><hr />', true],
    ['richText', '<p>a</p>', false],
    ['richText', '<p>&lt;img&gt;</p>', false],
    ['richText', '<p><img src="https://example.com/a.png" /></p>', false],
    ['list', [], true],
    ['list', ['', '\u200b'], true],
    ['list', ['', 'a'], false],
    ['integer', 0, false],
    ['boolean', false, false],
  ] as const)('%s: whether %j is empty is %s', (type, value, isEmpty) =>
    expect(isEmptyValue(type, value as string)).toBe(isEmpty),
  );

  test.each(right)('%s: %j is one', (type, value, options) => {
    expect(check(type, value, {}, options)).toHaveProperty('value');
  });

  test.each(wrong)('%s: %j is none', (type, value, options) => {
    expect(check(type, value, {}, options)).toHaveProperty('problem');
  });

  test('of any JSON are stored in a valid form that no longer changes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...customFieldTypes),
        fc.oneof(
          fc.jsonValue(),
          fc.webUrl(),
          fc.constantFrom(...right.map(([, value]) => value)),
          fc
            .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') })
            .map((date) => date.toISOString()),
        ),
        (type, value) => {
          const options = ['Linen', 'Silk'];
          const checked = check(type, value, {}, options);
          if (!('value' in checked)) return;
          expect(check(type, checked.value, {}, options)).toEqual(checked);
          expect(JSON.parse(JSON.stringify(checked.value))).toEqual(
            Object.is(checked.value, -0) ? 0 : checked.value,
          );
        },
      ),
    );
  });

  test('obey their limits: numbers by value, texts and lists by length', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), fc.integer(), (value, one, other) => {
        const [min, max] = [Math.min(one, other), Math.max(one, other)];
        expect(isRight('integer', value, { min, max })).toBe(value >= min && value <= max);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), fc.nat(20), (value, one, other) => {
        const [min, max] = [Math.min(one, other), Math.max(one, other)];
        const length = [...value].length;
        expect(isRight('text', value, { min, max })).toBe(length >= min && length <= max);
        expect(isRight('list', [...value], { min, max })).toBe(length >= min && length <= max);
      }),
    );
  });

  test('match a pattern anywhere, in linear time', () => {
    expect(isRight('text', 'AB-1234', { pattern: '^[A-Z]{2}-\\d{4}$' })).toBe(true);
    expect(isRight('text', 'see AB', { pattern: 'AB' })).toBe(true);
    expect(check('list', ['AB', 'cd'], { pattern: '^[A-Z]+$' })).toMatchObject({ item: 1 });
    const startedAt = performance.now();
    expect(isRight('longText', `${'a'.repeat(49_000)}!`, { pattern: '^(a+)+$' })).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

describe('definitions', () => {
  const problems = (change: object) =>
    definitionProblems({
      entity: 'product',
      type: 'text',
      options: [],
      isFilterable: false,
      ...change,
      rules: { ...noRules, ...(change as { rules?: object }).rules },
    }).map(({ pointer }) => pointer);

  test('may have only rules that apply to their type', () => {
    expect(problems({ rules: { required: true, min: 1, max: 5, pattern: 'a' } })).toEqual([]);
    expect(problems({ type: 'integer', rules: { min: -5, pattern: 'a' } })).toEqual(['/rules/pattern']);
    expect(problems({ type: 'boolean', rules: { min: 1, max: 2 } })).toEqual(['/rules/min', '/rules/max']);
    expect(problems({ rules: { min: -1 } })).toEqual(['/rules/min']);
    expect(problems({ rules: { min: 5, max: 4 } })).toEqual(['/rules/max']);
    expect(problems({ type: 'select' })).toEqual(['/options']);
    expect(problems({ type: 'select', options: ['a', 'a'] })).toEqual(['/options/1']);
    expect(problems({ options: ['a'] })).toEqual(['/options']);
    expect(problems({ entity: 'order', isFilterable: true })).toEqual(['/isFilterable']);
  });

  test.each(['(a', '(a)\\1', '(?=a)b', 'a{1000}{1000}'])('refuse the pattern %s', (pattern) => {
    expect(problems({ rules: { pattern } })).toEqual(['/rules/pattern']);
  });
});
