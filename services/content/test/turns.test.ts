import { createTurns } from '../src/publication/rendering/turns.ts';

test('pages that wait for a neighbour keep no others from being made for long, and are made all the same', async () => {
  const inTurn = createTurns(1);
  const neighbour = Promise.withResolvers<string>();
  const waiting = [1, 2, 3].map(() => inTurn('one', () => neighbour.promise));
  expect(await inTurn('other', async () => 'made')).toBe('made');
  neighbour.resolve('late');
  expect(await Promise.all(waiting)).toEqual(['late', 'late', 'late']);
});

test('what cannot be made is told, and its turn ends', async () => {
  const inTurn = createTurns();
  const failing = () => Promise.reject(new Error('no'));
  for (let i = 0; i < 3; i++) await expect(inTurn('one', failing)).rejects.toThrow('no');
  expect(await inTurn('one', async () => 'made')).toBe('made');
});
