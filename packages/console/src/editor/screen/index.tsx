import { useSuspenseQuery } from '@tanstack/react-query';
import { loadMoneyForms } from '@waybill/page/cldr-late';
import { lazy, Suspense, startTransition, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useMe, useStore } from '../../api/me.ts';
import { queries } from '../../api/queries.ts';
import { QueriesProvider } from '../../api/queries-provider.tsx';
import { session } from '../../api/session.ts';
import { useParams } from '../../router/router.tsx';
import { Coming, NoPermission } from '../../shell/problems.tsx';
import { SignInAgain } from '../../shell/sign-in-again.tsx';
import { useCommon } from '../../texts/common.ts';
import {
  articleSubject,
  pageSubject,
  type Subject,
  sectionSubject,
  templateSubject,
} from '../workbench/subjects.ts';
import { useEditorTexts } from '../workbench/texts.ts';
import { WorkbenchProvider } from '../workbench/workbench.ts';
import { type OpenDocument, openDocument } from './open.ts';
import { Saving } from './saving.tsx';
import { EditorScreen } from './screen.tsx';
import { useSectionEditing } from './section-editing.ts';

const Recovery = lazy(async () => ({ default: (await import('./recovery.tsx')).Recovery }));

const params = () => useParams<string>();

export const PageEditor = () => <EditorOf createSubject={pageSubject} id={params().pageId!} />;
export const SectionEditor = () => <EditorOf createSubject={sectionSubject} id={params().sectionId!} />;
export const TemplateEditor = () => <EditorOf createSubject={templateSubject} id={params().kind!} />;
export const ArticleEditor = () => <EditorOf createSubject={articleSubject} id={params().articleId!} />;

interface Document {
  createSubject(storeId: string, id: string): Subject;
  id: string;
}

const EditorOf = (document: Document) => (
  <QueriesProvider>
    <EditorAccess {...document} />
  </QueriesProvider>
);

/**
 * Opens the editor for members who may read the document and tells others that they may not. An expired session is
 * renewed over the open screen.
 */
function EditorAccess({ createSubject, id }: Document) {
  const words = useEditorTexts();
  const store = useStore();
  const me = useMe();
  const subject = useMemo(() => createSubject(store.id, id), [createSubject, store.id, id]);
  const { is } = useSyncExternalStore(session.watch, session.read);
  if (!store.can(subject.canRead)) {
    return <NoPermission title={words.title} role={store.role} needed={store.roleFor(subject.canRead)} />;
  }
  return (
    <>
      <OpenedEditor key={id} subject={subject} canWrite={store.can(subject.canWrite)} />
      {is === 'signedOut' && <SignInAgain email={me.user.email} />}
    </>
  );
}

function OpenedEditor({ subject, canWrite }: { subject: Subject; canWrite: boolean }) {
  const words = useEditorTexts();
  const { kind, storeId, id } = subject;
  // The document is never fetched again behind the editor's back: the save queue knows the stored state.
  const query = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false } as const;
  const { data: opened } = useSuspenseQuery({
    ...query,
    // Not below the subject's own key, whose queries are fetched again after a save or a publish.
    queryKey: ['editing', kind, storeId, id],
    // Waits for the table by which prices are written in the page's language.
    queryFn: async ({ signal }) => (await Promise.all([subject.read(signal), loadMoneyForms()]))[0],
  });
  // The next opening reads the document again. A `gcTime` of 0 would keep it for a second, as of any suspense query.
  useEffect(
    () => () =>
      queueMicrotask(() =>
        // In strict mode the query is in use again by then.
        queries.removeQueries({ queryKey: ['editing', kind, storeId, id], exact: true, type: 'inactive' }),
      ),
    [kind, storeId, id],
  );
  const common = useCommon();
  const { user } = useMe();
  const [open, setOpen] = useState<OpenDocument | null>(null);
  // Messages keep the language in which the document was opened, so `words` is not a dependency.
  useEffect(() => {
    const next = openDocument({ subject, opened, canWrite, userId: user.id, words, common });
    // In a transition, React waits a moment for panels that have loaded, instead of showing their fallbacks for 300 ms.
    startTransition(() => setOpen(next));
    return next.close;
  }, [subject, opened, canWrite, user.id]);
  const sectionEditing = useSectionEditing(open?.core);
  const { enter } = sectionEditing;
  const outer = useMemo(() => open && { ...open.core, words, enter }, [open, words, enter]);
  const inner = useMemo(
    () => sectionEditing.open && { ...sectionEditing.open.core, words, enter },
    [sectionEditing.open, words, enter],
  );
  if (!open || !outer) return <Coming />;
  return (
    <WorkbenchProvider value={inner ?? outer}>
      <EditorScreen />
      <Suspense>
        {sectionEditing.open && (
          <Recovery key={sectionEditing.open.core.subject.id} findLost={sectionEditing.open.findLost} />
        )}
      </Suspense>
      {inner && <Saving />}
      <WorkbenchProvider value={outer}>
        <Suspense>
          <Recovery findLost={open.findLost} />
        </Suspense>
        <Saving />
      </WorkbenchProvider>
    </WorkbenchProvider>
  );
}
