import { useQuery } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMe, useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { Failure } from '../../shell/problems.tsx';
import { Unsaved } from '../../shell/unsaved.tsx';
import { useFormats } from '../../texts/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Card, Row, Skeleton } from '../../ui/layout.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { notesQuery } from './after-sale-queries.ts';
import { useAfterSaleTexts } from './after-sale-texts.ts';
import style from './orders.module.css';
import { ordersKey } from './queries.ts';

/** The team's internal notes on an order. */
export function Notes({ orderId }: { orderId: string }) {
  const words = useAfterSaleTexts();
  const formats = useFormats();
  const store = useStore();
  const { data, error, refetch } = useQuery(notesQuery(store.id, orderId));
  const me = useMe();
  const [text, setText] = useState('');
  const [deleted, setDeleted] = useState<Model<'OrderNote'> | null>(null);
  const invalidates = [[...ordersKey(store.id), orderId, 'notes']];
  const path = { storeId: store.id, orderId };
  const add = useMutation(
    () =>
      api.post('/api/stores/{storeId}/orders/{orderId}/notes', {
        params: { path },
        body: { text: text.trim() },
      }),
    { done: words.noteAdded, invalidates, onDone: () => setText('') },
  );
  const remove = useMutation(
    (noteId: string) =>
      api.delete('/api/stores/{storeId}/orders/{orderId}/notes/{noteId}', {
        params: { path: { ...path, noteId } },
      }),
    { done: words.noteDeleted, invalidates },
  );
  const canWrite = store.can('orders.write');
  return (
    <div className={style.screenOnly}>
      <Card title={words.notes}>
        <p>{words.notesHint}</p>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton lines={2} />}
        <ol className={style.timeline}>
          {data?.notes.map((note) => (
            <li key={note.id}>
              <Row isSpread>
                <span className={style.noteText}>{note.text}</span>
                {canWrite && (store.manages || note.userId === me.user.id) && (
                  <IconButton label={words.deleteNote} onPress={() => setDeleted(note)}>
                    <CrossIcon />
                  </IconButton>
                )}
              </Row>
              <small>
                {note.userName ?? words.formerUser} · {formats.dateTime(note.createdAt)}
              </small>
            </li>
          ))}
        </ol>
        {canWrite && (
          <Form mutation={add} onSubmit={() => void add.run(undefined)}>
            <TextField
              label={words.note}
              name="/text"
              value={text}
              onChange={setText}
              rows={3}
              maxLength={5000}
            />
            <Row>
              <Button type="submit" isPending={add.isPending} isDisabled={text.trim() === ''}>
                {words.addNote}
              </Button>
            </Row>
          </Form>
        )}
      </Card>
      <Unsaved isDirty={text.trim() !== ''} />
      <ConfirmDialog
        title={words.deleteNoteTitle}
        confirm={words.deleteNote}
        isOpen={deleted !== null}
        onClose={() => setDeleted(null)}
        onConfirm={() => remove.attempt(deleted!.id)}
      >
        {deleted?.text}
      </ConfirmDialog>
    </div>
  );
}
