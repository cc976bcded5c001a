import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../../api/act.ts';
import { api } from '../../api/client.ts';
import { useMe, useStore } from '../../api/me.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Card, Row, Skeleton } from '../../ui/layout.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './orders.module.css';
import { notesQuery, type OrderNote } from './queries.ts';
import { useOrderTexts } from './texts.ts';

/** What members have noted on an order: nobody else sees it. */
export function Notes({ orderId }: { orderId: string }) {
  const words = useOrderTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const me = useMe();
  const query = notesQuery(store.id, orderId);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(query);
  const [text, setText] = useState('');
  const [deleted, setDeleted] = useState<OrderNote | null>(null);
  const path = { storeId: store.id, orderId };
  const touches = [query.queryKey];
  const add = useAct(
    () =>
      api.post('/api/stores/{storeId}/orders/{orderId}/notes', {
        params: { path },
        body: { text: text.trim() },
      }),
    { done: words.noteAdded, touches, onDone: () => setText('') },
  );
  const remove = useAct(
    (noteId: string) =>
      api.delete('/api/stores/{storeId}/orders/{orderId}/notes/{noteId}', {
        params: { path: { ...path, noteId } },
      }),
    { done: words.noteDeleted, touches },
  );
  const notes = data?.pages.flatMap((page) => page.notes);
  return (
    <Card title={words.notes}>
      {store.can('orders.write') && (
        <Form act={add} onSubmit={() => void add.run(undefined)}>
          <TextField
            label={words.note}
            hint={words.noteHint}
            name="/text"
            value={text}
            onChange={setText}
            maxLength={5_000}
            rows={2}
          />
          <Row>
            <Button size="small" type="submit" isPending={add.isPending} isDisabled={text.trim() === ''}>
              {words.addNote}
            </Button>
          </Row>
        </Form>
      )}
      {error && !notes && <Failure error={error} onRetry={() => void refetch()} />}
      {!notes && !error && <Skeleton lines={2} />}
      <ol className={style.timeline}>
        {notes?.map((note) => (
          <li key={note.id}>
            <Row isSpread>
              <span className={style.noteText}>{note.text}</span>
              {(store.manages || note.userId === me.user.id) && store.can('orders.write') && (
                <IconButton label={words.deleteNote} onPress={() => setDeleted(note)}>
                  <CrossIcon />
                </IconButton>
              )}
            </Row>
            <small>
              {[note.userName ?? words.someoneGone, formats.dateTime(note.createdAt)].join(' · ')}
            </small>
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Row>
          <Button size="small" isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {words.olderNotes}
          </Button>
        </Row>
      )}
      <ConfirmDialog
        title={words.deleteNoteTitle}
        confirm={common.delete}
        isOpen={deleted !== null}
        onClose={() => setDeleted(null)}
        onConfirm={() => remove.attempt(deleted!.id)}
      >
        {deleted?.text}
      </ConfirmDialog>
    </Card>
  );
}
