import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { type PageDocument, references } from '@waybill/page';
import { isWaybillError } from '@waybill/sdk';
import { useState } from 'react';
import { useMutation } from '../../api/mutation.ts';
import { Failure } from '../../shell/problems.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Notice, Skeleton } from '../../ui/layout.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { findEmptyMedia, findSampleTexts } from '../checks/samples.ts';
import { replaceDocument } from '../core/commands.ts';
import { describeKind, findFaultyApp } from '../elements/names.ts';
import { readAllSampleTexts } from '../elements/sample-texts.ts';
import { applyChanges } from '../workbench/actions.ts';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { type Names, pageQuery, subjectInfoQuery, useNames } from '../workbench/queries.ts';
import { revealNode } from '../workbench/reveal-node.ts';
import type { Subject } from '../workbench/subjects.ts';
import { type ShownProblem, useView } from '../workbench/workbench.ts';
import { ChangesList } from './changes-list.tsx';
import { compareDocuments } from './comparison.ts';
import { readPublishedDocument } from './published-document.ts';
import sheets from './sheets.module.css';

/** Shows the changes for visitors, publishes, and offers to revert. */
export default function Publish({ onClose }: { onClose(): void }) {
  const workbench = usePanelWorkbench();
  const { words, subject, editor, queue } = workbench;
  const queries = useQueryClient();
  const about = useQuery(subjectInfoQuery(subject));
  // Read once before publishing, as the state to revert to.
  const live = useQuery({
    queryKey: ['editing', subject.kind, subject.storeId, subject.id, 'live'],
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => readPublishedDocument(subject, signal),
  });
  const [isPublished, setPublished] = useState(false);
  const wasLive = about.data?.isLive ?? false;
  const { document } = editor;

  const publish = useMutation(
    async () => {
      if (!(await queue.flush())) throw new Error(words.saveFirst);
      await publishWithRetry(subject, document);
    },
    {
      done: words.published,
      invalidates: [subject.queryKey],
      onDone: () => setPublished(true),
    },
  );
  const discardDraft = useMutation(
    async () => {
      if (!wasLive || !live.data) return subject.unpublish?.();
      applyChanges(workbench, words.takenBack, replaceDocument(editor.state.tree, live.data));
      if (!(await queue.flush())) throw new Error(words.saveFirst);
      await publishWithRetry(subject, editor.document);
    },
    { done: words.takenBack, invalidates: [subject.queryKey], onDone: onClose },
  );
  const unpublish = useMutation(() => subject.unpublish!(), {
    done: words.unpublished,
    invalidates: [subject.queryKey],
    onDone: onClose,
  });
  const url = queries.getQueryData<{ url: string | null }>(subjectInfoQuery(subject).queryKey)?.url;
  return (
    <Dialog
      title={isPublished ? words.published : words.publishTitle({ name: about.data?.name ?? '' })}
      isOpen
      onClose={onClose}
    >
      <div className={sheets.body}>
        {isPublished && (
          <Notice tone="good" title={words.isLiveNow}>
            {url && (
              <LinkButton size="small" href={url} target="_blank" rel="noreferrer">
                {words.viewLive}
              </LinkButton>
            )}
          </Notice>
        )}
        {!isPublished && <PublishSummary live={live} wasLive={wasLive} />}
      </div>
      <Actions>
        {isPublished && (wasLive ? live.data : subject.unpublish) && (
          <Button isPending={discardDraft.isPending} onPress={() => void discardDraft.run(undefined)}>
            {words.takeBack}
          </Button>
        )}
        {!isPublished && wasLive && subject.unpublish && (
          <Button look="danger" isPending={unpublish.isPending} onPress={() => void unpublish.run(undefined)}>
            {words.unpublish}
          </Button>
        )}
        <Button onPress={onClose}>{isPublished ? words.close : words.cancel}</Button>
        {!isPublished && (
          <Button look="primary" isPending={publish.isPending} onPress={() => void publish.run(undefined)}>
            {words.publish}
          </Button>
        )}
      </Actions>
    </Dialog>
  );
}

/** The problems of the document, and how its publication changes the live page. */
function PublishSummary({
  live,
  wasLive,
}: {
  /** The live document; null if it is not kept. */
  live: UseQueryResult<PageDocument | null>;
  wasLive: boolean;
}) {
  const { words, subject, editor, storeId } = usePanelWorkbench();
  const { problems } = useView();
  const { document } = editor;
  const { data: languages = [] } = useQuery({
    queryKey: ['editing', 'sample-texts'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: readAllSampleTexts,
  });
  const placeholders = [
    ...findSampleTexts(document, languages).map(({ id, text }) => ({ id, message: `“${text}”` })),
    ...findEmptyMedia(document).map((id) => ({ id, message: words.publishEmptyMedia })),
  ].map((point) => ({ ...point, pointer: '/props' }));
  const layout = useLayout(subject);
  const { sections, blocks } = listReferencedNames(document, useNames(storeId));
  return (
    <>
      {live.error && <Failure error={live.error} onRetry={() => void live.refetch()} />}
      {live.isPending && <Skeleton lines={4} />}
      <OpenProblems title={words.publishProblems} points={problems} />
      <OpenProblems title={words.publishPlaceholders} points={placeholders} />
      {problems.length + placeholders.length > 0 && <p>{words.publishAnyway}</p>}
      {live.data === null && <p>{wasLive ? words.liveNotKept : words.firstPublish}</p>}
      {layout && <p>{words.publishLayout[layout]}</p>}
      {live.data && (
        <>
          <h3>{words.willChange}</h3>
          <ChangesList comparison={compareDocuments(live.data, document)} />
        </>
      )}
      <ReferencedNames title={words.withSections} names={sections} hint={words.withSectionsHint} />
      <ReferencedNames title={words.withBlocks} names={blocks} hint={words.withBlocksHint} />
    </>
  );
}

/** Global sections or blocks that go live with the document. */
function ReferencedNames({ title, names, hint }: { title: string; names: readonly string[]; hint: string }) {
  if (names.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {names.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
      <p className={sheets.hint}>{hint}</p>
    </>
  );
}

/** Returns whether the live page has a header and footer around it; undefined if the document is not a page. */
function useLayout({ kind, storeId, id }: Subject): 'around' | 'none' | undefined {
  const { data } = useQuery({ ...pageQuery(storeId, id), enabled: kind === 'page' });
  if (!data) return undefined;
  return data.page.settings.layout === 'none' ? 'none' : 'around';
}

/** Lists points to fix before publishing; each entry leads to its element. */
function OpenProblems({
  title,
  points,
}: {
  title: string;
  points: readonly Pick<ShownProblem, 'id' | 'message' | 'pointer'>[];
}) {
  const workbench = usePanelWorkbench();
  const { words, editor, storeId } = workbench;
  const names = useNames(storeId);
  if (points.length === 0) return null;
  return (
    <Notice tone="warn" title={title}>
      <ul className={sheets.points}>
        {points.map(({ id, message, pointer = '' }) => {
          const node = id === null ? undefined : editor.state.tree.nodes.get(id);
          const app = findFaultyApp(node, pointer, names);
          return (
            <li key={`${id} ${message}`}>
              <span>
                {[
                  node ? `${describeKind(node, words, names)}: ${message}` : message,
                  app && words.problemInBlock({ app }),
                ]
                  .filter(Boolean)
                  .join(' ')}
              </span>
              {node && (
                <Button size="small" look="quiet" onPress={() => revealNode(workbench, node.id)}>
                  {words.goThere}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </Notice>
  );
}

/**
 * Publishes the document. Only a draft can be published, so without one the shown document is saved once more, which
 * puts its current sections and blocks live.
 */
async function publishWithRetry(subject: Subject, document: PageDocument): Promise<void> {
  try {
    await subject.publish!();
  } catch (error) {
    if (!isWaybillError(error, 'nothing_to_publish')) throw error;
    const { etag } = await subject.read();
    await subject.write(document, etag);
    await subject.publish!();
  }
}

/** Returns the names of the global sections and blocks that go live with the document. */
function listReferencedNames(
  document: PageDocument,
  { sections, blocks }: Names,
): { sections: string[]; blocks: string[] } {
  const referenced = references(document);
  return {
    sections: [...referenced.sectionIds].flatMap((id) => sections.get(id)?.name ?? []),
    blocks: [...referenced.blocks.keys()].flatMap((id) => {
      const block = blocks.get(id);
      return block ? `${block.name} (${block.appName} ${block.versionNumber})` : [];
    }),
  };
}
