import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { loadMoneyForms } from '@waybill/page/cldr-late';
import { lazy, Suspense, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useMe, useStore } from '../../api/me.ts';
import { QueriesProvider } from '../../api/queries-provider.tsx';
import { session } from '../../api/session.ts';
import { Coming, NoPermission } from '../../shell/problems.tsx';
import { SignInAgain } from '../../shell/sign-in-again.tsx';
import { useCommon } from '../../texts/common.ts';
import { useInside } from './inside.ts';
import { type OpenDocument, openDocument } from './open.ts';
import { Saving } from './saving.tsx';
import { EditorScreen } from './screen.tsx';
import { articleSubject, pageSubject, type Subject, sectionSubject, templateSubject } from './subjects.ts';
import { useEditorTexts } from './texts.ts';
import { WorkbenchProvider } from './workbench.ts';

const Recovery = lazy(async () => ({ default: (await import('./recovery.tsx')).Recovery }));

const params = () => useParams({ strict: false }) as Record<string, string>;

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
    <Suspense fallback={<Coming />}>
      <Door {...document} />
    </Suspense>
  </QueriesProvider>
);

/** Who may not read it is told so; a session that ends is renewed over what is open. */
function Door({ createSubject, id }: Document) {
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
      <Suspense fallback={<Coming />}>
        <Open key={id} subject={subject} canWrite={store.can(subject.canWrite)} />
      </Suspense>
      {is === 'signedOut' && <SignInAgain email={me.user.email} />}
    </>
  );
}

function Open({ subject, canWrite }: { subject: Subject; canWrite: boolean }) {
  const words = useEditorTexts();
  // Not among what a save or a publish has read again.
  const key = ['editing', subject.kind, subject.storeId, subject.id];
  // What is edited is never read again behind the editor's back: the queue of saves knows what is stored.
  const query = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, refetchOnWindowFocus: false } as const;
  const { data: opened } = useSuspenseQuery({
    ...query,
    queryKey: key,
    // Nothing is drawn before prices can be written as the page's language does.
    queryFn: async ({ signal }) => (await Promise.all([subject.read(signal), loadMoneyForms()]))[0],
  });
  const common = useCommon();
  const { user } = useMe();
  const [open, setOpen] = useState<OpenDocument | null>(null);
  // The words of its messages are those of the language at the time when it was opened.
  useEffect(() => {
    const next = openDocument({ subject, opened, canWrite, userId: user.id, words, common });
    setOpen(next);
    return next.close;
  }, [subject, opened, canWrite, user.id]);
  const inside = useInside(open?.core);
  const { enter } = inside;
  const outer = useMemo(() => open && { ...open.core, words, enter }, [open, words, enter]);
  const inner = useMemo(
    () => inside.open && { ...inside.open.core, words, enter },
    [inside.open, words, enter],
  );
  if (!open || !outer) return <Coming />;
  return (
    <WorkbenchProvider value={inner ?? outer}>
      <EditorScreen />
      <Suspense>
        {inside.open && <Recovery key={inside.open.core.subject.id} lost={inside.open.lost} />}
      </Suspense>
      {inner && <Saving />}
      <WorkbenchProvider value={outer}>
        <Suspense>
          <Recovery lost={open.lost} />
        </Suspense>
        <Saving />
      </WorkbenchProvider>
    </WorkbenchProvider>
  );
}
