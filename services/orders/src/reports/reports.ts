import type { Problem, StoreReply } from '@waybill/contracts';
import { invalidInstantMessage, parseInstant, sqlState } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { listPaymentsByDay, listSales, listTopProducts, type Period } from './queries.ts';
import type {
  PaymentsQuery,
  PaymentsReport,
  Sales,
  SalesQuery,
  TopProducts,
  TopProductsQuery,
} from './routes.ts';

const hourMs = 3_600_000;
const defaultMs = 30 * 24 * hourMs;
const maxIntervals = 400;
/** Maximum length of each interval, including an hour for clocks that go back. */
const longestMs = { day: 25 * hourMs, week: (7 * 24 + 1) * hourMs, month: (31 * 24 + 1) * hourMs };

/**
 * Reports a store's sales by interval. Each interval is a whole one in the time zone, except where `from` and `to` cut
 * it; `decisions.md 10.2`.
 * @throws invalid_body for a bad instant or time zone, and for too many intervals; not_found
 */
export async function reportSales(context: Context, storeId: string, query: SalesQuery): Promise<Sales> {
  const { interval } = query;
  const { period, problems } = readPeriod(query);
  const timeZone = readTimeZone(query.timeZone);
  if (timeZone === null) problems.push(unknownTimeZone);
  if (timeZone === null || problems.length > 0) throw invalid(problems);
  if (isTooLong(period, interval)) throw tooMany();
  const currency = await readCurrency(context, storeId);
  const salesQuery = { ...period, currency, interval, timeZone, limit: maxIntervals + 1 };
  const sales = await listSales(context.db, storeId, salesQuery).catch((error) => {
    // Node.js knows this name, but PostgreSQL does not.
    throw sqlState(error) === '22023' ? invalid([unknownTimeZone]) : error;
  });
  if (sales.length > maxIntervals) throw tooMany();
  return { sales, currency };
}

/**
 * Reports the captured and refunded amounts of a store's payments by day and method: `decisions.md 22.7`.
 * @throws invalid_body for a bad instant or time zone, and for too many days; not_found
 */
export async function reportPayments(
  context: Context,
  storeId: string,
  query: PaymentsQuery,
): Promise<PaymentsReport> {
  const { period, problems } = readPeriod(query);
  const timeZone = readTimeZone(query.timeZone);
  if (timeZone === null) problems.push(unknownTimeZone);
  if (timeZone === null || problems.length > 0) throw invalid(problems);
  if (isTooLong(period, 'day')) throw tooMany();
  const currency = await readCurrency(context, storeId);
  const paymentsQuery = { ...period, currency, timeZone };
  const payments = await listPaymentsByDay(context.db, storeId, paymentsQuery).catch((error) => {
    throw sqlState(error) === '22023' ? invalid([unknownTimeZone]) : error;
  });
  return { payments, currency };
}

/** Whether a period has more intervals than a report may contain. */
const isTooLong = ({ from, to }: Period, interval: keyof typeof longestMs): boolean =>
  to.getTime() - from.getTime() > (maxIntervals + 1) * longestMs[interval];

const tooMany = () => invalid([{ pointer: '/from', message: `makes more than ${maxIntervals} intervals` }]);

/**
 * Reports a store's products with the highest revenue: `decisions.md 10.2`.
 * @throws invalid_body for a bad instant; not_found
 */
export async function reportTopProducts(
  context: Context,
  storeId: string,
  query: TopProductsQuery,
): Promise<TopProducts> {
  const { period, problems } = readPeriod(query);
  if (problems.length > 0) throw invalid(problems);
  const currency = await readCurrency(context, storeId);
  return {
    products: await listTopProducts(context.db, storeId, { ...period, currency, limit: query.limit }),
  };
}

function readPeriod(query: { from?: string; to?: string }): { period: Period; problems: Problem[] } {
  const problems: Problem[] = [];
  const read = (name: 'from' | 'to', otherwise: () => Date): Date => {
    const text = query[name];
    const instant = text === undefined ? otherwise() : parseInstant(text);
    if (!instant) problems.push({ pointer: `/${name}`, message: invalidInstantMessage });
    return instant ?? otherwise();
  };
  const to = read('to', () => new Date());
  const from = read('from', () => new Date(to.getTime() - defaultMs));
  if (problems.length === 0 && from >= to)
    problems.push({ pointer: '/to', message: 'must be later than from' });
  return { period: { from, to }, problems };
}

const unknownTimeZone: Problem = {
  pointer: '/timeZone',
  message: 'is not a time zone of the IANA database',
};

/**
 * Returns a time zone by a name that PostgreSQL understands in the same way; null if there is none. PostgreSQL also
 * accepts `+02:00`, but as west of Greenwich, and `CET`, but without daylight saving. Names of a region and a city have
 * only one meaning.
 */
function readTimeZone(name: string): string | null {
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return name.includes('/') ? name : timeZone;
  } catch {
    return null;
  }
}

const invalid = (details: Problem[]) => errors.invalid_body({ message: 'The query is not valid.', details });

/** Returns the currency of a store. @throws not_found */
export async function readCurrency({ peers }: Context, storeId: string): Promise<string> {
  const facts = await peers.call<StoreReply>('identity', 'GET', `/internal/stores/${storeId}`);
  if (!facts) throw errors.not_found();
  return facts.store.currency;
}
