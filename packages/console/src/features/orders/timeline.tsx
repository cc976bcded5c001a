import { useQuery } from '@tanstack/react-query';
import { useStore } from '../../api/me.ts';
import { Failure } from '../../shell/problems.tsx';
import { useFormats } from '../../texts/format.ts';
import { Card, Skeleton } from '../../ui/layout.tsx';
import {
  documentsQuery,
  fulfillmentsQuery,
  mailsQuery,
  notesQuery,
  refundsQuery,
  returnsQuery,
} from './after-sale-queries.ts';
import style from './orders.module.css';
import { type Order, orderPaymentsQuery } from './queries.ts';
import { useOrderTexts } from './texts.ts';
import { useAuditEntries } from './timeline-audit.ts';
import { listInstants, type OrderParts, useTimelineEntries } from './timeline-entries.tsx';

/** The history of an order, newest first, with the actors. */
export function Timeline({ order }: { order: Order }) {
  const words = useOrderTexts();
  const store = useStore();
  const { id } = order;
  const parts = {
    payments: useQuery(orderPaymentsQuery(store.id, id)),
    fulfillments: useQuery(fulfillmentsQuery(store.id, id)),
    refunds: useQuery(refundsQuery(store.id, id)),
    returns: useQuery(returnsQuery(store.id, id)),
    documents: useQuery(documentsQuery(store.id, id)),
    notes: useQuery(notesQuery(store.id, id)),
    mails: useQuery(mailsQuery(store.id, id)),
  };
  const formats = useFormats();
  const known: OrderParts = {
    payments: parts.payments.data?.payments ?? [],
    fulfillments: parts.fulfillments.data?.fulfillments ?? [],
    refunds: parts.refunds.data?.refunds ?? [],
    returns: parts.returns.data?.returns ?? [],
    documents: parts.documents.data?.documents ?? [],
    notes: parts.notes.data?.notes ?? [],
    mails: parts.mails.data?.orderMails ?? [],
  };
  // The audit log only adds the actors; without it, the timeline is still complete.
  const auditEntries = useAuditEntries(order, listInstants(order, known));
  const timeline = useTimelineEntries(order, auditEntries, known);
  const all = Object.values(parts);
  const failed = all.find(({ error, data }) => error && !data);
  return (
    <div className={style.screenOnly}>
      <Card title={words.timeline}>
        {failed && <Failure error={failed.error} onRetry={() => void failed.refetch()} />}
        {!failed && all.some(({ data }) => !data) && <Skeleton lines={3} />}
        <ol className={style.timeline}>
          {timeline.map(({ id, at, what, details = [], who }) => (
            <li key={id}>
              {what}
              {details.map((detail) => detail && <small key={detail}>{detail}</small>)}
              <small>{[formats.dateTime(at), who].filter(Boolean).join(' · ')}</small>
            </li>
          ))}
        </ol>
      </Card>
    </div>
  );
}
