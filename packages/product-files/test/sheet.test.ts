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
    { line: 2, cells: { order: '#12', carrier: '', trackingNumber: '=0034' } },
    { line: 5, cells: { order: '13', carrier: '', trackingNumber: '77' } },
  ]);
  expect(missing).toEqual(['carrier']);
  expect(isTooLong).toBe(false);
});

test('a sheet that is too long says so; one of nothing lacks all', () => {
  expect(read('order\n1\n2\n3\n', 2)).toMatchObject({ rows: [{ line: 2 }, { line: 3 }], isTooLong: true });
  expect(read('order\n1\n2\n', 2).isTooLong).toBe(false);
  expect(read('')).toMatchObject({ rows: [], missing: ['order', 'carrier', 'trackingNumber'] });
});
