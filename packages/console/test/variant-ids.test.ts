import type { ProductInput } from '../src/features/products/queries.ts';
import { withStoredVariantIds } from '../src/features/products/variant-ids.ts';

type Row = NonNullable<ProductInput['variants']>[number];

const row = (name: string, id?: string): Row => ({ name, priceCents: 1, ...(id && { id }) });
const storedAs = (...ids: string[]) => ids.map((id) => ({ id }));

describe('variants that are typed on while they are stored', () => {
  const [one, two, three] = [row('One'), row('Two'), row('Three')];

  test.each([
    { name: 'keep their ids', typed: [one, row('Two!'), three], ids: ['v1', 'v2', 'v3'] },
    { name: 'keep them all typed over', typed: [row('1'), row('2'), row('3')], ids: ['v1', 'v2', 'v3'] },
    { name: 'keep them behind one that is removed', typed: [two, row('Three!')], ids: ['v2', 'v3'] },
    {
      name: 'give none to one that is added',
      typed: [one, two, three, row('Four')],
      ids: ['v1', 'v2', 'v3', undefined],
    },
    {
      name: 'give none to one between',
      typed: [one, row('New'), two, three],
      ids: ['v1', undefined, 'v2', 'v3'],
    },
  ])('$name', ({ typed, ids }) => {
    expect(
      withStoredVariantIds(typed, [one, two, three], storedAs('v1', 'v2', 'v3')).map(({ id }) => id),
    ).toEqual(ids);
  });

  test('do not give that of a stored one, taken away meanwhile, to a new one', () => {
    const sent = [row('Old', 'v1'), one];
    const typed = [row('One!'), row('Two')];
    expect(withStoredVariantIds(typed, sent, storedAs('v1', 'v2')).map(({ id }) => id)).toEqual([
      'v2',
      undefined,
    ]);
  });
});
