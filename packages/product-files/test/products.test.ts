import { currencies } from '@waybill/contracts/currencies';
import fc from 'fast-check';
import Papa from 'papaparse';
import {
  columns,
  createProductInput,
  createRows,
  currencyExponent,
  decode,
  decodeFile,
  listColumns,
  listFieldColumns,
  planImport,
  readAmount,
  readCount,
  readTable,
  type Step,
  writeAmount,
  writeTable,
} from '../src/index.ts';

type Product = Parameters<typeof createRows>[0];

/** A variant's default field values. */
const plain: Omit<Product['variants'][number], 'id' | 'name' | 'sku' | 'priceCents' | 'stock'> = {
  options: {},
  compareAtCents: null,
  barcode: null,
  weightGrams: null,
  requiresShipping: true,
  unit: null,
  unitPriceCents: null,
  mediaId: null,
  lowestPriceCents30Days: null,
  customFields: {},
};
const product = (changes: Partial<Product> = {}): Product => ({
  id: 'prd_1',
  number: 1,
  slug: 'earl-grey',
  name: 'Earl Grey',
  description: '<p>Tea</p>',
  tags: ['tea'],
  mediaIds: [],
  media: [],
  priceCents: 890,
  totalStock: 12,
  status: 'active',
  variants: [{ ...plain, id: 'var_1', name: '100 g', sku: 'EG-100', priceCents: 890, stock: 12 }],
  options: [],
  vendor: '',
  taxCategory: 'standard',
  seo: { title: '', description: '', imageMediaId: null },
  customFields: {},
  categoryIds: [],
  createdAt: '2026-11-20T10:00:00.000Z',
  updatedAt: '2026-11-20T10:00:00.000Z',
  ...changes,
});

const plan = (text: string, existing: Product[] = []) => planImport(readTable(text).rows, existing, 'EUR');
const only = (steps: readonly Step[]): Step => {
  expect(steps).toHaveLength(1);
  return steps[0]!;
};

describe('an amount as people write it', () => {
  test.each<[string, number, string?]>([
    ['12.50', 1250],
    ['12,5', 1250],
    ['12', 1200],
    ['€ 1.234,50', 123_450],
    ['1,234.50 €', 123_450],
    ["CHF 1'200.00", 120_000, 'CHF'],
    ['$5', 500, 'USD'],
    ['12,50 zł', 1250, 'PLN'],
    ['12,50 kr.', 1250, 'DKK'],
    ['R$ 12,50', 1250, 'BRL'],
    ['12 500 Ft', 1_250_000, 'HUF'],
    ['￥500', 500, 'JPY'],
    ['eur 12', 1200],
    ['12.50 EUR', 1250],
    ['1.234.567', 123_456_700],
    ['₹12,34,567.89', 123_456_789, 'INR'],
    ['12 000', 1_200_000],
    ['0', 0],
  ])('%s is read', (text, cents, currency = 'EUR') => expect(readAmount(text, currency)).toBe(cents));

  test.each([
    '',
    'free',
    '-3',
    '12.345',
    '1,234',
    '1 2',
    '12 34',
    '1.2.3',
    '1,23,4',
    '12.345,',
    '1.23.456,7',
    '0.125',
    '99999999999999',
    '$5',
    '5 USD',
    '12,50 zł',
    'USD5',
    '£5',
    'abc5',
    '€5 CHF',
  ])('%j is not guessed at', (text) => expect(readAmount(text, 'EUR')).toBeNull());

  test('the currency says where its fraction begins', () => {
    expect(readAmount('1.234', 'KWD')).toBe(1234);
    expect(readAmount('1,234', 'KWD')).toBeNull();
    expect(readAmount('1200', 'JPY')).toBe(1200);
    expect(readAmount('12.50', 'JPY')).toBeNull();
  });

  test('what is written is read again', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000_000_000 }),
        fc.constantFrom('JPY', 'EUR', 'KWD'),
        (cents, currency) => {
          expect(readAmount(writeAmount(cents, currencyExponent(currency)), currency)).toBe(cents);
        },
      ),
    ));

  test('pieces are whole and not negative', () => {
    const texts = ['7', '1 200', '1.200.000', '1,200', '1.200', '1.5', '-1', 'x'];
    expect(texts.map(readCount)).toEqual([7, 1200, 1_200_000, null, null, null, null, null]);
  });
});

describe('a file of products', () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const products = fc
    .uniqueArray(
      fc.record({
        slug: fc.stringMatching(/^[a-z0-9]{1,12}$/),
        name: text,
        description: text,
        status: fc.constantFrom('draft' as const, 'active' as const, 'archived' as const),
        tags: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 3 }),
        stock: fc.nat(1000),
        priceCents: fc.nat(100_000),
      }),
      { selector: ({ slug }) => slug, maxLength: 8 },
    )
    .map((given) =>
      given.map(({ stock, priceCents, ...rest }, at) =>
        product({
          ...rest,
          id: `prd_${at}`,
          variants: [
            { ...plain, id: `v${at}`, name: '', sku: `S-${at}`, priceCents, stock },
            { ...plain, id: `w${at}`, name: '=1+1', sku: null, priceCents, stock },
          ],
        }),
      ),
    );

  test('an export that is read again changes nothing', () =>
    fc.assert(
      fc.property(products, (existing) => {
        const file = writeTable(
          columns,
          existing.flatMap((one) => createRows(one, 2)),
        );
        const { steps, problems } = plan(decode(new TextEncoder().encode(file)), existing);
        expect(problems).toEqual([]);
        expect(steps.map(({ action }) => action)).toEqual(existing.map(() => 'keep'));
      }),
    ));

  test.each<[string, Partial<Product>]>([
    ['blanks around them', { name: ' Tea ', tags: [' hot '] }],
    ['an apostrophe before a formula', { name: "'=1+1" }],
    ['a formula in several lines', { name: '\n=1+1\n', description: '=1\n＝2' }],
    ['a comma in a tag', { tags: ['black, green', 'a,,b'] }],
    ['as many characters as there may be', { name: '🍵'.repeat(200), tags: ['🍵'.repeat(60)] }],
    [
      'an SKU with a blank',
      { variants: [{ ...plain, id: 'v', name: ' S ', sku: ' S-1', priceCents: 5, stock: 1 }] },
    ],
  ])('an export that is read again changes nothing of texts with %s', (_description, texts) => {
    const existing = [product(texts)];
    const file = writeTable(columns, createRows(existing[0]!, 2));
    const { steps, problems } = plan(file, existing);
    expect([problems, only(steps).action]).toEqual([[], 'keep']);
  });

  test('a description that the server has written in its own way is no change, and any other is', () => {
    const planAction = (typed: string, description: string) => {
      const file = writeTable(['slug', 'description'], [['earl-grey', typed]]);
      return only(plan(file, [product({ description })]).steps).action;
    };
    // Pairs of a typed text and the server's answer to it.
    const answered = [
      [`Tea & milk, 5 < 6 > 4 "q" 's'`, `Tea &amp; milk, 5 &lt; 6 &gt; 4 "q" 's'`],
      ['<p>A&nbsp;b<br/>c<BR></p>', '<p>A\u00a0b<br />c<br /></p>'],
      ['<P>&amp; &quot;</P>', '<p>&amp; "</p>'],
    ] as const;
    for (const [typed, stored] of answered)
      expect([typed, planAction(typed, stored)]).toEqual([typed, 'keep']);
    for (const [typed, stored] of [
      ['&lt;b&gt;', '<b>'],
      ['Tea', 'Tee'],
      ['<p title="A">', '<p title="a">'],
    ] as const)
      expect([typed, planAction(typed, stored)]).toEqual([typed, 'change']);
  });

  test('an export makes the same products where there are none', () =>
    fc.assert(
      fc.property(products, (existing) => {
        const file = writeTable(
          columns,
          existing.flatMap((one) => createRows(one, 2)),
        );
        const { steps, problems } = plan(file);
        expect(problems).toEqual([]);
        expect(steps.map(createProductInput)).toEqual(
          existing.map(({ slug, name, status, tags, description, variants }) => ({
            slug,
            name,
            status,
            description,
            ...(tags.length > 0 && { tags }),
            variants: variants.map(({ name, sku, priceCents, stock }) => ({
              ...(name && { name }),
              ...(sku && { sku }),
              priceCents,
              stock,
            })),
          })),
        );
      }),
    ));

  test('no text makes the reader fail', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        plan(`slug,name,price,stock\n${text}`, [product()]);
        plan(text);
      }),
      { numRuns: 30 },
    ));

  test.each(['=1+1', '=1+1\nand more', '@SUM(A1)\r\n', '-1', '\n=1+1', '＝1+1'])(
    'a spreadsheet runs nothing of it: %j',
    (text) => {
      expect(writeTable(['name'], [[text]])).toBe(`\uFEFFname\r\n"'${text}"\r\n`);
    },
  );

  test('what is not UTF-8 is read as spreadsheets write it', () => {
    expect(decode(Uint8Array.of(0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72))).toBe('Müller');
    expect(decode(Uint8Array.of(0xff, 0xfe, 0x41, 0x00))).toBe('A');
  });

  test('only what is named and differs is written, so what is sold meanwhile stays sold', () => {
    const step = only(plan('slug;price;sku\nearl-grey;9,20;EG-100\n', [product()]).steps);
    expect(step).toMatchObject({ action: 'change', id: 'prd_1', changed: ['price'] });
    expect(step.body).toEqual({ variants: [{ id: 'var_1', priceCents: 920 }] });
  });

  test('a row means a product by its id, else by an SKU, else by its slug, else by exactly its name', () => {
    const existing = [product(), product({ id: 'prd_2', slug: 'c-guide', name: 'C++ Guide', variants: [] })];
    const matchedId = (file: string) => {
      const { id, matchedBy } = only(plan(file, existing).steps);
      return [id, matchedBy];
    };
    expect(matchedId('id,slug,status\nprd_2,earl-grey,draft\n')).toEqual(['prd_2', 'id']);
    expect(matchedId('sku,name,stock\nEG-100,C++ Guide,3\n')).toEqual(['prd_1', 'sku']);
    for (const slug of ['c-guide', 'new'])
      expect(matchedId(`slug,sku,stock\n${slug},EG-100,3\n`)).toEqual(['prd_1', 'sku']);
    expect(matchedId('slug,name\nc-guide,Earl Grey\n')).toEqual(['prd_2', 'slug']);
    expect(matchedId('name,status\nEarl Grey,draft\n')).toEqual(['prd_1', 'name']);
    expect(matchedId('id,name,price\nprd_of_another_store,Earl Grey,3\n')).toEqual(['prd_1', 'name']);
    expect(matchedId('name,price\nearl grey,3\n')).toEqual([null, null]);
    expect(only(plan('name,price\nNew tea,3\n', existing).steps)).toMatchObject({
      action: 'create',
      slug: '',
    });
  });

  test.each([
    ['茶 1', '水 1'],
    ['C++ Guide', 'C# Guide'],
    ['Tea', 'Чайник синий'],
    ['Tee', 'テ'],
  ])('beside %s, %s is another product, and the server derives its slug', (there, name) => {
    const existing = [product({ name: there, slug: name === 'C# Guide' ? 'c-guide' : '1', variants: [] })];
    const { steps, problems } = plan(`name,price\n${name},3\n${there} 2,4\n`, existing);
    expect(problems).toEqual([]);
    expect(steps.map(createProductInput)).toEqual([
      { name, variants: [{ priceCents: 300 }] },
      { name: `${there} 2`, variants: [{ priceCents: 400 }] },
    ]);
  });

  test('two products of one name are not chosen between', () => {
    const existing = [product(), product({ id: 'prd_2', slug: 'other', variants: [] })];
    expect(plan('name,status\nEarl Grey,draft\n', existing)).toMatchObject({
      steps: [],
      problems: [{ line: 2, column: 'name', fault: 'severalOfName' }],
    });
  });

  test.each<[string, string, [number, number, string][]]>([
    ['an open quote', 'name,price\nA,1\n"B,2\nC,3\n', [[3, 3, 'openQuote']]],
    ['a quote that ends within a cell', 'name,price\nA,1\n"B"x,2\nC,3', [[3, 3, 'openQuote']]],
    ['cells beyond the header', 'name,price\nA,1,2\nB,2,,\n', [[2, 2, 'extraCells']]],
    ['cells of several lines before it', 'name,price\n"A\nand",1\nB,2,3\n', [[3, 4, 'extraCells']]],
    ['an ambiguous decimal', 'name,price\nA,12.345\nB,2\n', [[2, 2, 'ambiguousPrice']]],
    ['an ambiguous number of pieces', 'name,price,stock\nA,1,1.500\n', [[2, 2, 'ambiguousStock']]],
    ['a column twice', 'name,price,price\nA,1,2\nB,2,2\n', [[2, 2, 'twoCells']]],
    ['a line that names the separator before it', 'sep=;\nname;price\nA;1;2', [[2, 3, 'extraCells']]],
  ])('%s is a problem of its row, with its line', (_description, file, expected) => {
    const { problems, steps } = plan(file);
    expect(problems.map(({ row, line, fault }) => [row, line, fault])).toEqual(expected);
    expect(steps.every(({ row }) => expected.every(([faulty]) => faulty !== row))).toBe(true);
  });

  test.each<[string, string, object]>([
    ['commas', 'name,price\r\nA,"1,5"\r\n', { separator: ',', lineEnd: 'CRLF' }],
    ['semicolons', 'name;price\nA;1,5\n', { separator: ';', lineEnd: 'LF' }],
    ['tabs', 'name\tprice\rA\t1,5\r', { separator: '\t', lineEnd: 'CR' }],
    ['bars', 'name|price\nA|1.5\r\n', { separator: '|', lineEnd: 'mixed' }],
    ['single quotes', "'name';'price'\n'A';'1,5'\n", { separator: ';', quote: "'" }],
    [
      'a line that names the separator',
      '\uFEFFsep=:\nname:price\nA:1.5',
      { separator: ':', hasSepLine: true },
    ],
  ])('a file with %s is read, and says how it is written', (_description, file, form) => {
    const table = readTable(file);
    expect(table.form).toMatchObject(form);
    expect(only(planImport(table.rows, [], 'EUR').steps).body.variants).toEqual([{ priceCents: 150 }]);
  });

  test('a Windows code page is a guess until somebody confirms it', async () => {
    const text = 'name,price\nTea,2\nЧайник синий,3\n';
    const bytes = Uint8Array.from(
      [...text].map((char) => {
        const code = char.codePointAt(0)!;
        return code < 0x80 ? code : code - 0x0410 + 0xc0;
      }),
    );
    const guessed = readTable(await decodeFile(bytes));
    const { steps, problems } = planImport(guessed.rows, [], 'EUR');
    expect(steps.map(({ name }) => name)).toEqual(['Tea']);
    expect(problems).toMatchObject([{ line: 3, fault: 'guessedEncoding', column: 'name' }]);
    const confirmed = planImport(readTable(await decodeFile(bytes, 'windows-1251')).rows, [], 'EUR');
    expect([confirmed.problems, confirmed.steps.map(({ name }) => name)]).toEqual([
      [],
      ['Tea', 'Чайник синий'],
    ]);
  });

  test.each(['utf-16le', 'utf-16be'] as const)(
    '%s is read, with a mark and, once confirmed, without',
    async (encoding) => {
      const encodeText = (text: string) => {
        const bytes = Buffer.from(text, 'utf16le');
        return encoding === 'utf-16be' ? bytes.swap16() : bytes;
      };
      const text = 'name,price\nChá,3\n';
      expect(await decodeFile(encodeText(`\uFEFF${text}`))).toMatchObject({
        text,
        encoding,
        isGuessed: false,
      });
      expect(await decodeFile(encodeText(text))).toMatchObject({ text, encoding, isGuessed: true });
      expect(await decodeFile(encodeText(text), encoding)).toMatchObject({ text, isGuessed: false });
    },
  );

  test('bytes that stand for nothing are a problem of their row', async () => {
    const bytes = Uint8Array.from([...Buffer.from('\uFEFFname,price\nA,1\nB'), 0xff, ...Buffer.from(',2\n')]);
    const { steps, problems } = planImport(readTable(await decodeFile(bytes)).rows, [], 'EUR');
    expect(steps.map(({ name }) => name)).toEqual(['A']);
    expect(problems).toMatchObject([{ line: 3, column: 'name', fault: 'unreadable' }]);
  });

  test('an export is no formula wherever a spreadsheet splits it, and imports to the same texts', () => {
    const parts = fc.constantFrom(
      'x',
      '=1+1',
      '-1',
      '@A',
      ';',
      '|',
      '\t',
      '\n',
      '\r\n',
      ',',
      '"',
      "'",
      ' ',
      '＝1',
    );
    const cell = fc.array(parts, { maxLength: 8 }).map((each) => each.join(''));
    fc.assert(
      fc.property(cell, cell, (name, description) => {
        const file = writeTable(['slug', 'name', 'description'], [['tea', name, description]]);
        for (const delimiter of [',', ';', '\t', '|'])
          for (const row of Papa.parse<string[]>(file.slice(1).replace(/\r\n?/g, '\n'), { delimiter }).data)
            for (const found of row) expect(found).not.toMatch(/^\s*[=+\-@＝＋－＠]/);
        const [row] = readTable(file).rows;
        expect([row?.cells.name ?? '', row?.cells.description ?? '']).toEqual([
          name.trim(),
          description.trim(),
        ]);
      }),
      { numRuns: 500 },
    );
  });

  test('an export that is read again changes nothing of options and all that variants have', () => {
    const texts = fc
      .string({ minLength: 1, maxLength: 8, unit: fc.constantFrom('a', ';', ':', '\\\\', ' ', '=') })
      .filter((text) => text.trim() === text);
    const amounts = fc.integer({ min: 1, max: 5_000 }).map((thousandths) => thousandths / 1_000);
    const variants = fc.array(
      fc.record({
        options: fc.record({ Size: texts, 'a: b': texts }),
        compareAtCents: fc.option(fc.integer({ min: 1_000, max: 9_999 })),
        barcode: fc.constantFrom(null, '4006381333931'),
        weightGrams: fc.option(fc.nat(1_000_000)),
        requiresShipping: fc.boolean(),
        unit: fc.option(
          fc.record({
            amount: amounts,
            measure: fc.constantFrom('g' as const, 'm2' as const),
            perAmount: amounts,
          }),
        ),
      }),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(variants, fc.boolean(), (given, hasSkus) => {
        const options = ['Size', 'a: b'].map((name) => ({
          name,
          values: [...new Set(given.map((each) => each.options[name as 'Size']))],
        }));
        const existing = product({
          vendor: '=Ridge',
          seo: { title: 'T', description: 'D', imageMediaId: null },
          options,
          variants: given.map((each, i) => ({
            ...plain,
            id: `v${i}`,
            name: '',
            sku: hasSkus ? `S-${i}` : null,
            priceCents: 900,
            stock: 1,
            ...each,
          })),
        });
        fc.pre(hasSkus || new Set(given.map((each) => JSON.stringify(each.options))).size === given.length);
        const { rows } = readTable(writeTable(columns, createRows(existing, 2)));
        expect(planImport(rows, [existing], 'EUR')).toMatchObject({
          problems: [],
          steps: [{ action: 'keep' }],
        });
        const input = createProductInput(only(planImport(rows, [], 'EUR').steps));
        expect(input).toMatchObject({ vendor: '=Ridge', options });
        expect(input.variants).toMatchObject(given.map(({ options }) => ({ options })));
      }),
      { numRuns: 300 },
    );
  });

  test('columns of custom fields go out and come in, and what nobody touched changes nothing', () => {
    const fields = listFieldColumns([
      { entity: 'product', appId: null, key: 'material', type: 'text' },
      { entity: 'product', appId: null, key: 'size', type: 'decimal' },
      { entity: 'product', appId: 'app_1', key: 'fresh', type: 'boolean' },
      { entity: 'variant', appId: null, key: 'care', type: 'list' },
      { entity: 'order', appId: null, key: 'gift', type: 'text' },
    ]);
    expect(listColumns(fields).slice(-4)).toEqual([
      'field.material',
      'field.size',
      'field.app_1/fresh',
      'variant field.care',
    ]);
    const customFields = { material: 'Linen', size: 12.345, 'app_1/fresh': false };
    const variant = { ...plain, id: 'v', name: 'a', sku: 'A', priceCents: 100, stock: 1 };
    const existing = product({
      customFields,
      variants: [{ ...variant, customFields: { care: ['cold; gentle', 'a\\b'] } }],
    });
    const file = writeTable(listColumns(fields), createRows(existing, 2, fields));
    const { rows, unknown } = readTable(file, fields);
    expect(unknown).toEqual([]);
    expect(only(planImport(rows, [existing], 'EUR', fields).steps).action).toBe('keep');
    const other = { ...existing, customFields: { ...customFields, material: 'Silk' } };
    expect(only(planImport(rows, [other], 'EUR', fields).steps)).toMatchObject({
      changed: ['field.material'],
      body: { customFields: { material: 'Linen' } },
    });
    const bare = { ...existing, variants: [variant] };
    expect(only(planImport(rows, [bare], 'EUR', fields).steps).body.variants).toEqual([
      { id: 'v', customFields: { care: ['cold; gentle', 'a\\b'] } },
    ]);
  });

  test('a cell of a custom field that cannot be read for certain is a problem of its row', () => {
    const fields = listFieldColumns([{ entity: 'product', appId: null, key: 'size', type: 'decimal' }]);
    const read = (cell: string) =>
      planImport(readTable(`name,price,field.size\nTea,1.00,"${cell}"\n`, fields).rows, [], 'EUR', fields);
    expect(read('12.345').problems).toMatchObject([{ row: 2, column: 'field.size', fault: 'badField' }]);
    expect(read('much').problems).toHaveLength(1);
    expect(only(read('12.5').steps).body.customFields).toEqual({ size: 12.5 });
    expect(readTable('name,field.size\nTea,1\n').unknown).toEqual(['field.size']);
  });

  test.each([
    ['options', 'Size', 'badOptions'],
    ['barcode', '4006381333932', 'badBarcode'],
    ['weight', '1.5', 'badWeight'],
    ['shipping', 'maybe', 'badShipping'],
    ['unit', '100 oz / 1', 'badUnit'],
    ['compare at', 'much', 'badPrice'],
  ])('a cell of %s that is %j is a problem of its row', (column, value, fault) => {
    expect(plan(`name,price,${column}\nTea,1.00,"${value}"\n`).problems).toMatchObject([
      { row: 2, column, fault, value },
    ]);
  });

  test('in every currency an export imports to the same cents', () =>
    fc.assert(
      fc.property(fc.constantFrom(...currencies), fc.nat(1_000_000_000_000), (currency, priceCents) => {
        const digits = currencyExponent(currency);
        const existing = [
          product({ variants: [{ ...plain, id: 'v', name: 'a', sku: null, priceCents, stock: 1 }] }),
        ];
        const { rows } = readTable(writeTable(columns, createRows(existing[0]!, digits)));
        expect(planImport(rows, existing, currency)).toMatchObject({
          problems: [],
          steps: [{ action: 'keep' }],
        });
        const input = createProductInput(only(planImport(rows, [], currency).steps));
        expect(input.variants).toMatchObject([{ priceCents }]);
      }),
      { numRuns: 1000 },
    ));

  test('rows of one product are its variants, and an empty cell changes nothing', () => {
    const file = 'slug,name,variant,sku,price\nmate,Mate,100 g,M-1,5\nmate,,250 g,M-2,11\n';
    const step = only(plan(file).steps);
    expect(createProductInput(step)).toEqual({
      slug: 'mate',
      name: 'Mate',
      variants: [
        { name: '100 g', sku: 'M-1', priceCents: 500 },
        { name: '250 g', sku: 'M-2', priceCents: 1100 },
      ],
    });
  });

  test('each problem names its row and column, and its product alone is left out', () => {
    const file = [
      'slug,name,status,price,stock,sku,id',
      'Bad Slug,X,,1,,',
      'one,One,sold,1,,',
      'two,Two,,cheap,-1,',
      'three,,,1,,',
      'four,Four,,,2,',
      ',,,3,,',
      ',Five,,1,,EG-100,prd_2',
      'six,Six,,1,,',
      'six,Sixth,,2,,S-6',
    ].join('\n');
    const other = product({ id: 'prd_2', slug: 'other', variants: [] });
    const { steps, problems } = plan(`${file}\nfine,Fine,,1,,`, [product(), other]);
    expect(steps.map(({ slug }) => slug)).toEqual(['fine']);
    expect(problems.map(({ row, column, fault }) => [row, column, fault])).toEqual([
      [2, 'slug', 'badSlug'],
      [3, 'status', 'badStatus'],
      [4, 'price', 'badPrice'],
      [4, 'stock', 'badStock'],
      [5, 'name', 'noName'],
      [6, 'price', 'noPrice'],
      [7, null, 'nothing'],
      [8, 'sku', 'skuOfAnother'],
      [10, 'name', 'differs'],
    ]);
  });
});
