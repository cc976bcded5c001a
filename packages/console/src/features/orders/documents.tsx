import { useQuery } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../shell/problems.tsx';
import { useFormats } from '../../texts/format.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Card, Row, Skeleton } from '../../ui/layout.tsx';
import { documentsQuery, refundsQuery } from './after-sale-queries.ts';
import { useAfterSaleTexts } from './after-sale-texts.ts';
import style from './orders.module.css';
import type { Order } from './queries.ts';

type Kind = Model<'OrderDocument'>['kind'];

/** The invoices, credit notes and packing slips of an order, and how to issue more. */
export function Documents({ order }: { order: Order }) {
  const words = useAfterSaleTexts();
  const formats = useFormats();
  const store = useStore();
  const query = documentsQuery(store.id, order.id);
  const { data, error, refetch } = useQuery(query);
  const { data: refunds } = useQuery(refundsQuery(store.id, order.id));
  const issue = useMutation(
    ({ kind, refundId }: { kind: Kind; refundId?: string }) =>
      api.post('/api/stores/{storeId}/orders/{id}/documents', {
        params: { path: { storeId: store.id, id: order.id } },
        body: { kind, ...(refundId && { refundId }) },
      }),
    { done: words.documentIssued, invalidates: [query.queryKey, ['stores', store.id, 'audit']] },
  );
  const documents = data?.documents ?? [];
  const hasInvoice = documents.some(({ kind }) => kind === 'invoice');
  const uncredited = (refunds?.refunds ?? []).filter(
    ({ id, state }) => state === 'done' && !documents.some(({ refundId }) => refundId === id),
  );
  const issueButton = (key: string, text: string, asked: Parameters<typeof issue.run>[0]) => (
    <Button key={key} size="small" isDisabled={issue.isPending} onPress={() => void issue.run(asked)}>
      {text}
    </Button>
  );
  return (
    <div className={style.screenOnly}>
      <Card title={words.documents}>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton lines={2} />}
        <ol className={style.timeline}>
          {documents.map(({ id, kind, number, issuedAt, url, xmlUrl }) => (
            <li key={id}>
              <TextLink href={url} target="_blank" rel="noreferrer">
                {[words.documentKinds[kind], number].filter(Boolean).join(' ')}
              </TextLink>
              <small>
                {formats.dateTime(issuedAt)}
                {xmlUrl && (
                  <>
                    {' · '}
                    <TextLink href={xmlUrl} target="_blank" rel="noreferrer">
                      XML
                    </TextLink>
                  </>
                )}
              </small>
            </li>
          ))}
        </ol>
        {data && store.can('orders.write') && (
          <Row>
            {!hasInvoice && issueButton('invoice', words.issueInvoice, { kind: 'invoice' })}
            {issueButton('packingSlip', words.issuePackingSlip, { kind: 'packingSlip' })}
            {hasInvoice &&
              uncredited.map(({ id, amountCents }) =>
                issueButton(id, words.issueCreditNote({ sum: formats.money(amountCents, order.currency) }), {
                  kind: 'creditNote',
                  refundId: id,
                }),
              )}
          </Row>
        )}
        {issue.error && store.manages && (
          <p>
            <TextLink href={paths.inStore(store.id, 'settings', 'documents')}>
              {words.documentSettings}
            </TextLink>
          </p>
        )}
      </Card>
    </div>
  );
}
