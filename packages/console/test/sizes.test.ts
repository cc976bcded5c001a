import { createSizeFormat } from '../src/texts/sizes.ts';

test('a size is in the largest unit that it reaches, in words below a kilobyte', () => {
  const inEnglish = createSizeFormat('en');
  expect([0, 1, 1002, 1024, 142_900, 25 * 1024 ** 2].map(inEnglish)).toEqual([
    '0 bytes',
    '1 byte',
    '1,002 bytes',
    '1 kB',
    '139.6 kB',
    '25 MB',
  ]);
  expect(createSizeFormat('de')(1002)).toBe('1.002 Byte');
});
