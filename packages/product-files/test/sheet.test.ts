import { readSheet } from '../src/index.ts';

const titles = {
  order: ['order', 'bestellung'],
  carrier: ['carrier'],
  trackingNumber: ['tracking number', 'tracking'],
};
const read = (text: string, maxRows = 10) => readSheet({ text }, titles, maxRows);

test('a sheet is read by its titles, whatever separates its cells, with the lines of the file', () => {
  const { rows, missing, isTooLong } = read(
    "\uFEFFTracking;Bestellung;Note\r\n'=0034;#12;x\r\n\r\n; ;\r\n77; 13 ;\r\n",
  );
  expect(rows).toEqual([
    {
      line: 2,
      lastLine: 2,
      hasBadQuote: false,
      cells: { order: '#12', carrier: '', trackingNumber: '=0034' },
    },
    { line: 5, lastLine: 5, hasBadQuote: false, cells: { order: '13', carrier: '', trackingNumber: '77' } },
  ]);
  expect(missing).toEqual(['carrier']);
  expect(isTooLong).toBe(false);
});

test('a sheet that is too long says so; one of nothing lacks all', () => {
  expect(read('order\n1\n2\n3\n', 2)).toMatchObject({ rows: [{ line: 2 }, { line: 3 }], isTooLong: true });
  expect(read('order\n1\n2\n', 2).isTooLong).toBe(false);
  expect(read('')).toMatchObject({ rows: [], missing: ['order', 'carrier', 'trackingNumber'] });
});

test('a row whose quote is not closed says so, with the lines that it swallowed', () => {
  const { rows } = read('order,tracking\n1,"A"\n2,"B\n3,C\n4,D\n');
  expect(rows.map(({ line, lastLine, hasBadQuote }) => [line, lastLine, hasBadQuote])).toEqual([
    [2, 2, false],
    [3, 5, true],
  ]);
  expect(read('"order,tracking\n1,A\n"').rows.every(({ hasBadQuote }) => hasBadQuote)).toBe(true);
});
