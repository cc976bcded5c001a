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

/** An action on a return that the user is asked to confirm, since none can be undone. */
interface Question {
  is: 'refund' | 'declined' | 'received';
  of: Return;
}

/** The returns of an order and their progress. */
export function Returns({ order }: { order: Order }) {
  const words = useAfterSaleTexts();
  const store = useStore();
  const { data, error, refetch } = useQuery(returnsQuery(store.id, order.id));
  const [isAdding, setAdding] = useState(false);
  const [question, setQuestion] = useState<Question | null>(null);
  const canWrite = store.can('orders.write');
  const move = useMutation(
    ({ id, state }: Pick<Return, 'id' | 'state'>) =>
      api.patch('/api/stores/{storeId}/orders/{id}/returns/{returnId}', {
        params: { path: { storeId: store.id, id: order.id, returnId: id } },
        body: { state },
      }),
    { done: words.returnChanged, invalidates: afterSaleQueryKeys(store.id) },
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
        {data?.returns.map((each) => (
          <ReturnEntry
            key={each.id}
            order={order}
            entry={each}
            onMove={canWrite ? (state) => void move.run({ id: each.id, state }) : undefined}
            onQuestion={(is) => setQuestion({ is, of: each })}
          />
        ))}
      </ol>
      {question && (
        <ConfirmReturnAction
          order={order}
          question={question}
          onMove={move.attempt}
          onClose={() => setQuestion(null)}
        />
      )}
      {isAdding && <AddDialog order={order} returned={returned} onClose={() => setAdding(false)} />}
    </Card>
  );
}

function ReturnEntry({
  order,
  entry: { kind, lines, state, note, refundId, createdAt },
  onMove,
  onQuestion,
}: {
  order: Order;
  entry: Return;
  /** Missing: the user may not change returns. */
  onMove: ((state: Return['state']) => void) | undefined;
  onQuestion(is: Question['is']): void;
}) {
  const words = useAfterSaleTexts();
  const formats = useFormats();
  return (
    <li>
      <Row isSpread>
        <span>{unitsText(order, lines, formats.number)}</span>
        <Badge tone={returnTones[state]}>{words.returnStates[state]}</Badge>
      </Row>
      <small>
        {[formats.dateTime(createdAt), kind === 'withdrawal' && words.withdrawal].filter(Boolean).join(' · ')}
      </small>
      {lines.map(({ variantId, reason }) => reason && <small key={variantId}>{reason}</small>)}
      {note && <small>{note}</small>}
      {onMove && (
        <Row>
          {state === 'requested' && (
            <>
              <Button size="small" onPress={() => onMove('approved')}>
                {words.approve}
              </Button>
              <Button size="small" look="quiet" onPress={() => onQuestion('declined')}>
                {words.decline}
              </Button>
            </>
          )}
          {state === 'approved' && (
            <Button size="small" onPress={() => onQuestion('received')}>
              {words.receive}
            </Button>
          )}
          {(state === 'approved' || state === 'received') && refundId === null && (
            <Button size="small" onPress={() => onQuestion('refund')}>
              {words.refund}
            </Button>
          )}
          {state === 'received' && (
            <Button size="small" look="quiet" onPress={() => onMove('closed')}>
              {words.close}
            </Button>
          )}
        </Row>
      )}
    </li>
  );
}

/** Asks before a return is declined, received or refunded, and does it. */
function ConfirmReturnAction({
  order,
  question,
  onMove,
  onClose,
}: {
  order: Order;
  question: Question;
  onMove(change: Pick<Return, 'id' | 'state'>): Promise<unknown>;
  onClose(): void;
}) {
  const words = useAfterSaleTexts();
  const formats = useFormats();
  const store = useStore();
  const sum = question.of.lines.reduce((sum, { variantId, quantity }) => {
    const line = order.lineItems.find((each) => each.variantId === variantId);
    return line ? sum + unitsCents(order, line, quantity) : sum;
  }, 0);
  const refund = useMutation(
    (returnId: string) =>
      api.post('/api/stores/{storeId}/orders/{id}/returns/{returnId}/refund', {
        params: { path: { storeId: store.id, id: order.id, returnId } },
        body: {},
      }),
    { done: words.refunded, invalidates: afterSaleQueryKeys(store.id) },
  );
  return (
    <ConfirmDialog
      title={words.returnQuestions[question.is]}
      confirm={{ refund: words.refund, declined: words.decline, received: words.receive }[question.is]}
      isDanger={question.is === 'declined'}
      isOpen
      onClose={onClose}
      onConfirm={() =>
        question.is === 'refund'
          ? refund.attempt(question.of.id)
          : onMove({ id: question.of.id, state: question.is })
      }
    >
      <p>{unitsText(order, question.of.lines, formats.number)}</p>
      {question.is === 'refund' && <p>{words.refundComesTo({ sum: formats.money(sum, order.currency) })}</p>}
      {question.is === 'received' && <p>{words.receiveHint}</p>}
    </ConfirmDialog>
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
