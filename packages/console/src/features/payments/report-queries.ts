import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { formatDay, toPeriod } from '../../local-time.ts';
import { changeSearch } from '../../router/history.ts';
import { paymentsKey } from './queries.ts';

/** Amounts that a method received and refunded on a day. */
export interface Takings {
  start: string;
  methodId: string | null;
  name: string | null;
  capturedCents: number;
  refundedCents: number;
  disputedCents: number;
}

/** First and last day of the period, such as `2026-11-20`. */
export interface ReportSearch {
  since?: string;
  until?: string;
}
type Period = Required<ReportSearch>;

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const days = 30;

/** Returns the period in the address, by default the last 30 days, and a function that changes it. */
export function useReportPeriod({ since, until }: ReportSearch) {
  const today = new Date();
  const first = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (days - 1));
  const period: Period = { since: since ?? formatDay(first), until: until ?? formatDay(today) };
  const change = (changes: { [End in keyof ReportSearch]: string | undefined }) =>
    changeSearch(changes, { replaces: true });
  return { period, change };
}

export const reportQuery = (storeId: string, { since, until }: Period) =>
  queryOptions({
    queryKey: [...paymentsKey(storeId), 'report', since, until],
    queryFn: ({ signal }) => {
      const { since: from, until: to } = toPeriod({ since, until });
      return api.get('/api/stores/{storeId}/reports/payments', {
        params: { path: { storeId }, query: { timeZone, ...(from && { from }), ...(to && { to }) } },
        signal,
      });
    },
    placeholderData: keepPreviousData,
    // While the user changes both days, the last may briefly precede the first.
    enabled: since <= until,
  });
