import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Failure } from '../../shell/problems.tsx';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/layout.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { replaceDocument } from '../core/commands.ts';
import { applyChanges } from '../workbench/actions.ts';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { ChangesList } from './changes-list.tsx';
import { compareDocuments } from './comparison.ts';
import { DrawnDocument } from './drawn-document.tsx';
import style from './sheets.module.css';

/** Shows earlier states of the document beside the current one; restoring one is a step that can be undone. */
export default function Revisions({ onClose }: { onClose(): void }) {
  const workbench = usePanelWorkbench();
  const { words, subject, editor, canWrite } = workbench;
  const formats = useFormats();
  const [chosenId, setChosenId] = useState<string | null>(null);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...subject.queryKey, subject.id, 'revisions', 'editor'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => subject.revisions(pageParam, signal),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const revisions = data?.pages.flatMap((page) => page.revisions) ?? [];
  const revisionQuery = useQuery({
    queryKey: [...subject.queryKey, subject.id, 'revision', chosenId],
    enabled: chosenId !== null,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => subject.revision(chosenId!, signal),
  });
  const currentDocument = useMemo(() => editor.document, [editor]);
  const at = formats.dateTime(
    revisions.find(({ id }) => id === chosenId)?.createdAt ?? new Date(0).toISOString(),
  );
  function restore() {
    onClose();
    applyChanges(workbench, words.restored({ at }), replaceDocument(editor.state.tree, revisionQuery.data!));
  }
  return (
    <Dialog title={words.revisions} isOpen onClose={onClose} size="large">
      <div className={style.body}>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton lines={6} />}
        {data && (
          <div className={style.compare}>
            <div>
              <ListBox
                aria-label={words.revisions}
                items={revisions}
                selectionMode="single"
                selectedKeys={chosenId === null ? [] : [chosenId]}
                onSelectionChange={(keys) =>
                  setChosenId(keys === 'all' ? null : String([...keys][0] ?? '') || null)
                }
                className={style.list!}
                renderEmptyState={() => <p className={style.hint}>{words.noRevisions}</p>}
              >
                {({ id, createdAt, kind, userName }) => (
                  <ListBoxItem id={id} textValue={formats.dateTime(createdAt)} className={style.option!}>
                    <span>
                      {formats.dateTime(createdAt)}
                      <small>
                        {words.revisionKinds[kind]} {userName ?? ''}
                      </small>
                    </span>
                  </ListBoxItem>
                )}
              </ListBox>
              {hasNextPage && (
                <Button size="small" isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
                  {words.older}
                </Button>
              )}
            </div>
            {chosenId === null && <p className={style.hint}>{words.chooseRevision}</p>}
            {chosenId !== null && revisionQuery.error && (
              <Failure error={revisionQuery.error} onRetry={() => void revisionQuery.refetch()} />
            )}
            {chosenId !== null && revisionQuery.data && (
              <div>
                <ChangesList comparison={compareDocuments(revisionQuery.data, currentDocument)} />
                <div className={style.frames}>
                  <figure>
                    <figcaption>{at}</figcaption>
                    <DrawnDocument
                      document={revisionQuery.data}
                      name={chosenId}
                      label={at}
                      device="desktop"
                    />
                  </figure>
                  <figure>
                    <figcaption>{words.now}</figcaption>
                    <DrawnDocument document={currentDocument} name="now" label={words.now} device="desktop" />
                  </figure>
                </div>
              </div>
            )}
          </div>
        )}
      </div>
      <Actions>
        <Button onPress={onClose}>{words.close}</Button>
        {canWrite && (
          <Button look="primary" isDisabled={!revisionQuery.data} onPress={restore}>
            {words.restore}
          </Button>
        )}
      </Actions>
    </Dialog>
  );
}
