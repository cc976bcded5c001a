import { Echoes } from '../src/ui/echoes.ts';

test('what an editor told comes back late, and only what nobody typed is news', () => {
  const echoes = new Echoes('');
  echoes.tell('a');
  echoes.tell('ab');
  expect(echoes.isOwn('a')).toBe(true);
  expect(echoes.isOwn('ab')).toBe(true);
  // Reset from outside to the earlier text.
  expect(echoes.isOwn('a')).toBe(false);
  expect(echoes.isOwn('a')).toBe(true);
  echoes.tell('abc');
  expect(echoes.isOwn('theirs')).toBe(false);
  expect(echoes.isOwn('abc')).toBe(false);
});
