import { formatDay, formatLocalTime, parseDayStart, parseLocalTime } from '../src/local-time.ts';

describe('days and times of the browser', () => {
  test('a local time is read as it was formatted', () => {
    const instant = new Date(2026, 10, 20, 9, 30).toISOString();
    expect(formatLocalTime(instant)).toBe('2026-11-20T09:30');
    expect(parseLocalTime('2026-11-20T09:30')).toBe(instant);
  });

  test('a slip of the keyboard is no time', () => {
    expect(parseLocalTime('')).toBeNull();
    expect(parseLocalTime('202611-11-20T09:30')).toBeNull();
    expect(parseDayStart('202611-11-20')).toBeNull();
    expect(parseDayStart(undefined)).toBeNull();
  });

  test('a day begins at local midnight', () => {
    expect(parseDayStart('2026-11-20')).toBe(new Date(2026, 10, 20).toISOString());
    expect(parseDayStart('2026-11-30', 1)).toBe(new Date(2026, 11, 1).toISOString());
    expect(formatDay(new Date(2026, 10, 20))).toBe('2026-11-20');
  });
});
