import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, Row, Skeleton, type Tone } from '../../ui/layout.tsx';
import { Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { afterSaleQueryKeys, type Return, returnsQuery } from './after-sale-queries.ts';
import { useAfterSaleTexts } from './after-sale-texts.ts';
import style from './orders.module.css';
import { unitsText } from './parcels.tsx';
import type { Order } from './queries.ts';
import { type Chosen, chosenLines, openLines, UnitChoices, unitsCents } from './unit-choices.tsx';

export const returnTones: Readonly<Record<Return['state'], Tone>> = {
  requested: 'warn',
  approved: 'accent',
  declined: 'neutral',
  received: 'good',
  closed: 'neutral',
};

/** The returns of an order and their progress. */
export function Returns({ order }: { order: Order }) {
  const words = useAfterSaleTexts();
  const formats = useFormats();
  const store = useStore();
  const { data, error, refetch } = useQuery(returnsQuery(store.id, order.id));
  const [isAdding, setAdding] = useState(false);
  /** The action that the user is asked to confirm, since none can be undone. */
  const [question, setQuestion] = useState<{ is: 'refund' | 'declined' | 'received'; of: Return } | null>(
    null,
  );
  const canWrite = store.can('orders.write');
  const invalidates = afterSaleQueryKeys(store.id);
  const money = (cents: number) => formats.money(cents, order.currency);
  const computeSum = ({ lines }: Return) =>
    lines.reduce((sum, { variantId, quantity }) => {
      const line = order.lineItems.find((each) => each.variantId === variantId);
      return line ? sum + unitsCents(order, line, quantity) : sum;
    }, 0);
  const move = useMutation(
    ({ id, state }: Pick<Return, 'id' | 'state'>) =>
      api.patch('/api/stores/{storeId}/orders/{id}/returns/{returnId}', {
        params: { path: { storeId: store.id, id: order.id, returnId: id } },
        body: { state },
      }),
    { done: words.returnChanged, invalidates },
  );
  const refund = useMutation(
    (returnId: string) =>
      api.post('/api/stores/{storeId}/orders/{id}/returns/{returnId}/refund', {
        params: { path: { storeId: store.id, id: order.id, returnId } },
        body: {},
      }),
    { done: words.refunded, invalidates },
  );
  const returned = (variantId: string) =>
    (data?.returns ?? [])
      .filter(({ state }) => state !== 'declined')
      .flatMap(({ lines }) => lines)
      .filter((line) => line.variantId === variantId)
      .reduce((sum, { quantity }) => sum + quantity, 0);
  const open = openLines(order, ({ variantId, quantity }) => quantity - returned(variantId));
  return (
    <Card
      title={words.returns}
      actions={
        canWrite &&
        order.status !== 'cancelled' &&
        data &&
        open.length > 0 && (
          <Button size="small" onPress={() => setAdding(true)}>
            {words.addReturn}
          </Button>
        )
      }
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} />}
      {data?.returns.length === 0 && <p>{words.noReturns}</p>}
      <ol className={style.timeline}>
        {data?.returns.map((each) => {
          const { id, kind, lines, state, note, refundId, createdAt } = each;
          return (
            <li key={id}>
              <Row isSpread>
                <span>{unitsText(order, lines, formats.number)}</span>
                <Badge tone={returnTones[state]}>{words.returnStates[state]}</Badge>
              </Row>
              <small>
                {[formats.dateTime(createdAt), kind === 'withdrawal' && words.withdrawal]
                  .filter(Boolean)
                  .join(' · ')}
              </small>
              {lines.map(({ variantId, reason }) => reason && <small key={variantId}>{reason}</small>)}
              {note && <small>{note}</small>}
              {canWrite && (
                <Row>
                  {state === 'requested' && (
                    <>
                      <Button size="small" onPress={() => void move.run({ id, state: 'approved' })}>
                        {words.approve}
                      </Button>
                      <Button
                        size="small"
                        look="quiet"
                        onPress={() => setQuestion({ is: 'declined', of: each })}
                      >
                        {words.decline}
                      </Button>
                    </>
                  )}
                  {state === 'approved' && (
                    <Button size="small" onPress={() => setQuestion({ is: 'received', of: each })}>
                      {words.receive}
                    </Button>
                  )}
                  {(state === 'approved' || state === 'received') && refundId === null && (
                    <Button size="small" onPress={() => setQuestion({ is: 'refund', of: each })}>
                      {words.refund}
                    </Button>
                  )}
                  {state === 'received' && (
                    <Button size="small" look="quiet" onPress={() => void move.run({ id, state: 'closed' })}>
                      {words.close}
                    </Button>
                  )}
                </Row>
              )}
            </li>
          );
        })}
      </ol>
      {question && (
        <ConfirmDialog
          title={words.returnQuestions[question.is]}
          confirm={{ refund: words.refund, declined: words.decline, received: words.receive }[question.is]}
          isDanger={question.is === 'declined'}
          isOpen
          onClose={() => setQuestion(null)}
          onConfirm={() =>
            question.is === 'refund'
              ? refund.attempt(question.of.id)
              : move.attempt({ id: question.of.id, state: question.is })
          }
        >
          <p>{unitsText(order, question.of.lines, formats.number)}</p>
          {question.is === 'refund' && <p>{words.refundComesTo({ sum: money(computeSum(question.of)) })}</p>}
          {question.is === 'received' && <p>{words.receiveHint}</p>}
        </ConfirmDialog>
      )}
      {isAdding && <AddDialog order={order} returned={returned} onClose={() => setAdding(false)} />}
    </Card>
  );
}

function AddDialog({
  order,
  returned,
  onClose,
}: {
  order: Order;
  returned(variantId: string): number;
  onClose(): void;
}) {
  const words = useAfterSaleTexts();
  const common = useCommon();
  const store = useStore();
  const lines = openLines(order, ({ variantId, quantity }) => quantity - returned(variantId));
  const [chosen, setChosen] = useState<Chosen>({});
  const [reason, setReason] = useState('');
  const save = useMutation(
    () =>
      api.post('/api/stores/{storeId}/orders/{id}/returns', {
        params: { path: { storeId: store.id, id: order.id } },
        body: {
          kind: 'return',
          lines: chosenLines(chosen).map((line) => ({
            ...line,
            ...(reason.trim() && { reason: reason.trim() }),
          })),
        },
      }),
    { done: words.returnAdded, invalidates: afterSaleQueryKeys(store.id), onDone: onClose },
  );
  return (
    <Dialog title={words.addReturn} isOpen onClose={onClose}>
      <Form mutation={save} onSubmit={() => void save.run(undefined)}>
        <p>{words.receiveHint}</p>
        <UnitChoices lines={lines} chosen={chosen} onChange={setChosen} />
        <TextField
          label={words.reason}
          hint={words.reasonHint}
          value={reason}
          onChange={setReason}
          maxLength={500}
        />
        <Actions>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button
            look="primary"
            type="submit"
            isPending={save.isPending}
            isDisabled={chosenLines(chosen).length === 0}
          >
            {words.addReturn}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
