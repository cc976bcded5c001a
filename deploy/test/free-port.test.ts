import { freePorts } from '../free-port.ts';

/** The first port that Linux uses for outgoing connections by default; other systems begin later. */
const given = 32_768;

test('free ports are unique, and outside the range of outgoing connections', async () => {
  const ports = await freePorts(30);
  expect(new Set(ports).size).toBe(30);
  expect(Math.max(...ports)).toBeLessThan(given);
});
