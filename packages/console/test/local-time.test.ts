import { formatDay, formatLocalTime, parseLocalTime, toPeriod } from '../src/local-time.ts';

describe('days and times of the browser', () => {
  test('a local time is read as it was formatted', () => {
    const instant = new Date(2026, 10, 20, 9, 30).toISOString();
    expect(formatLocalTime(instant)).toBe('2026-11-20T09:30');
    expect(parseLocalTime('2026-11-20T09:30')).toBe(instant);
  });

  test('a slip of the keyboard is no time', () => {
    expect(parseLocalTime('')).toBeNull();
    expect(parseLocalTime('202611-11-20T09:30')).toBeNull();
    expect(toPeriod({ since: '202611-11-20' })).toEqual({});
  });

  test('a period is from the local midnight of its first day to that after its last', () => {
    expect(toPeriod({ since: '2026-11-20', until: '2026-11-30' })).toEqual({
      since: new Date(2026, 10, 20).toISOString(),
      until: new Date(2026, 11, 1).toISOString(),
    });
    expect(formatDay(new Date(2026, 10, 20))).toBe('2026-11-20');
  });
});
