import type { Problem, StoreReply } from '@waybill/contracts';
import { noInstant, parseInstant, sqlState } from '@waybill/kernel';
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
/** The most that an interval lasts, where clocks are put back in it. */
const longestMs = { day: 25 * hourMs, week: (7 * 24 + 1) * hourMs, month: (31 * 24 + 1) * hourMs };

/**
 * A store's sales by interval, each whole in the time zone but for what `from` and `to` cut off; `decisions.md 10.2`.
 * @throws invalid_body for a bad instant or time zone, and for too many intervals; not_found
 */
export async function reportSales(context: Context, storeId: string, query: SalesQuery): Promise<Sales> {
  const { interval } = query;
  const { period, problems } = readPeriod(query);
  const timeZone = readTimeZone(query.timeZone);
  if (timeZone === null) problems.push(unknownTimeZone);
  if (timeZone === null || problems.length > 0) throw invalid(problems);
  if (isTooLong(period, interval)) throw tooMany();
  const currency = await currencyOf(context, storeId);
  const asked = { ...period, currency, interval, timeZone, limit: maxIntervals + 1 };
  const sales = await listSales(context.db, storeId, asked).catch((error) => {
    // Of a name that Node.js knows and PostgreSQL does not.
    throw sqlState(error) === '22023' ? invalid([unknownTimeZone]) : error;
  });
  if (sales.length > maxIntervals) throw tooMany();
  return { sales, currency };
}

/**
 * What a store's payments took and gave back by day and method, `decisions.md 22.7`.
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
  const currency = await currencyOf(context, storeId);
  const asked = { ...period, currency, timeZone };
  const payments = await listPaymentsByDay(context.db, storeId, asked).catch((error) => {
    throw sqlState(error) === '22023' ? invalid([unknownTimeZone]) : error;
  });
  return { payments, currency };
}

/** Whether a period makes more intervals than one report has. */
const isTooLong = ({ from, to }: Period, interval: keyof typeof longestMs): boolean =>
  to.getTime() - from.getTime() > (maxIntervals + 1) * longestMs[interval];

const tooMany = () => invalid([{ pointer: '/from', message: `makes more than ${maxIntervals} intervals` }]);

/**
 * The products that a store sold for most, `decisions.md 10.2`.
 * @throws invalid_body for a bad instant; not_found
 */
export async function reportTopProducts(
  context: Context,
  storeId: string,
  query: TopProductsQuery,
): Promise<TopProducts> {
  const { period, problems } = readPeriod(query);
  if (problems.length > 0) throw invalid(problems);
  const currency = await currencyOf(context, storeId);
  return {
    products: await listTopProducts(context.db, storeId, { ...period, currency, limit: query.limit }),
  };
}

function readPeriod(query: { from?: string; to?: string }): { period: Period; problems: Problem[] } {
  const problems: Problem[] = [];
  const read = (name: 'from' | 'to', otherwise: () => Date): Date => {
    const text = query[name];
    const instant = text === undefined ? otherwise() : parseInstant(text);
    if (!instant) problems.push({ pointer: `/${name}`, message: noInstant });
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
  message: 'is no name of the IANA time zone database',
};

/**
 * A time zone by a name that means the same to PostgreSQL; null: there is none. It takes `+02:00` as well, for what is
 * west of Greenwich, and `CET` for an offset that knows no summer, but a region and a city for nothing else.
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

/** The currency of a store. @throws not_found */
export async function currencyOf({ peers }: Context, storeId: string): Promise<string> {
  const facts = await peers.call<StoreReply>('identity', 'GET', `/internal/stores/${storeId}`);
  if (!facts) throw errors.not_found();
  return facts.store.currency;
}
