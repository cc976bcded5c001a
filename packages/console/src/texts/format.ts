import { createMoneyFormat } from '@waybill/contracts/currencies';
import { createSizeFormat } from './sizes.ts';
import { type Language, useLanguage } from './texts.ts';

/** Formats of a language for numbers, money and times, in the browser's time zone. */
function createFormats(language: Language) {
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
  const dateTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const exact = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
  const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' });
  const number = new Intl.NumberFormat(language);
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const moneyByCurrency = new Map<string, (cents: number) => string>();
  return {
    date: (at: string) => date.format(new Date(at)),
    dateTime: (at: string) => dateTime.format(new Date(at)),
    /** With seconds, for logs. */
    exact: (at: string) => exact.format(new Date(at)),
    day: (at: string) => day.format(new Date(at)),
    number: (value: number) => number.format(value),
    /** A decimal of the API, such as `12.5`, with all its places. */
    decimal: (text: string) =>
      new Intl.NumberFormat(language, { maximumFractionDigits: 20 }).format(Number(text)),
    percent: (share: number) => new Intl.NumberFormat(language, { style: 'percent' }).format(share),
    /** A relative change with its sign: "+12 %". */
    change: (share: number) =>
      new Intl.NumberFormat(language, { style: 'percent', signDisplay: 'exceptZero' }).format(share),
    /** `currency` is an ISO 4217 code; amounts are in its minor unit. */
    money(cents: number, currency: string): string {
      const format = moneyByCurrency.get(currency) ?? createMoneyFormat(language, currency);
      moneyByCurrency.set(currency, format);
      return format(cents);
    },
    list: (items: readonly string[]) => new Intl.ListFormat(language).format(items),
    /** Time since or until an instant: "3 minutes ago". */
    ago(at: string, now = Date.now()): string {
      const seconds = (Date.parse(at) - now) / 1000;
      const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const);
      return relative.format(Math.round(seconds / size), unit);
    },
    size: createSizeFormat(language),
  };
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

export type Formats = ReturnType<typeof createFormats>;

/** One set for each language, because every cell of a list uses one, and creating it takes about a millisecond. */
const formatsByLanguage = new Map<Language, Formats>();

export function useFormats(): Formats {
  const language = useLanguage();
  const formats = formatsByLanguage.get(language) ?? createFormats(language);
  formatsByLanguage.set(language, formats);
  return formats;
}
