import { useQuery } from '@tanstack/react-query';
import { pageStyle, renderDocument } from '@waybill/page';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { useStore } from '../../api/me.ts';
import { QueriesProvider } from '../../api/queries-provider.tsx';
import { base } from '../../paths.ts';
import { useParams } from '../../router/router.tsx';
import { asPage, type Drawn } from '../../shell/draw.ts';
import { type Device, DeviceChoice } from '../../shell/page-frame.tsx';
import { Coming, Failure, NoPermission } from '../../shell/problems.tsx';
import { liveSheetQuery } from '../../shell/theme.ts';
import { Skeleton } from '../../ui/layout.tsx';
import { subjectInfoQuery } from '../workbench/queries.ts';
import {
  articleSubject,
  pageSubject,
  type Subject,
  sectionSubject,
  templateSubject,
} from '../workbench/subjects.ts';
import { useEditorTexts } from '../workbench/texts.ts';
import style from './preview-tab.module.css';

const widths: Readonly<Record<Device, string>> = {
  fit: '100%',
  desktop: '100%',
  tablet: '834px',
  phone: '390px',
};

interface Previewed {
  createSubject(storeId: string, id: string): Subject;
  id: string;
}

const params = () => useParams<string>();

export const PagePreview = () => <PreviewOf createSubject={pageSubject} id={params().pageId!} />;
export const SectionPreview = () => <PreviewOf createSubject={sectionSubject} id={params().sectionId!} />;
export const TemplatePreview = () => <PreviewOf createSubject={templateSubject} id={params().kind!} />;
export const ArticlePreview = () => <PreviewOf createSubject={articleSubject} id={params().articleId!} />;

const PreviewOf = (props: Previewed) => (
  <QueriesProvider>
    <Suspense fallback={<Coming />}>
      <PreviewAccess {...props} />
    </Suspense>
  </QueriesProvider>
);

function PreviewAccess({ createSubject, id }: Previewed) {
  const store = useStore();
  const words = useEditorTexts();
  const subject = useMemo(() => createSubject(store.id, id), [createSubject, store.id, id]);
  if (store.can(subject.canRead)) return <PreviewTab subject={subject} />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor(subject.canRead)} />;
}

/**
 * Shows the whole page as it was saved last, with header and footer. It is fetched again whenever the tab comes to the
 * front.
 */
function PreviewTab({ subject }: { subject: Subject }) {
  const words = useEditorTexts();
  const [device, setDevice] = useState<Device>('desktop');
  const locale = new URLSearchParams(location.search).get('locale');
  const { data: about } = useQuery(subjectInfoQuery(subject));
  const { data, error, refetch } = useQuery({
    queryKey: [...subject.queryKey, subject.id, 'preview', locale],
    queryFn: ({ signal }) => drawPreview(subject, locale, signal),
    refetchOnWindowFocus: 'always',
  });
  const { data: sheet } = useQuery(liveSheetQuery(subject.storeId));
  const title = words.previewOf({ name: about?.name ?? words.kinds[subject.kind] });
  useEffect(() => {
    document.title = `${title} · Waybill`;
  }, [title]);
  return (
    <main className={style.screen}>
      <header className={style.bar}>
        <h1 tabIndex={-1} data-screen-title>
          {title}
        </h1>
        <DeviceChoice value={device} onChange={setDevice} />
      </header>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={10} />}
      {data && sheet !== undefined && (
        <PageFrame
          label={title}
          drawn={{ html: data.html, css: data.css + sheet }}
          lang={locale ?? ''}
          width={widths[device]}
        />
      )}
    </main>
  );
}

function PageFrame({
  label,
  drawn: { html, css },
  lang,
  width,
}: {
  label: string;
  drawn: Drawn;
  lang: string;
  width: string;
}) {
  const [page, setPage] = useState<Document | null>(null);
  useEffect(() => {
    if (!page?.defaultView) return;
    const { scrollX, scrollY } = page.defaultView;
    const sheet = new page.defaultView.CSSStyleSheet();
    sheet.replaceSync(css);
    page.adoptedStyleSheets = [sheet];
    page.body.innerHTML = html;
    page.documentElement.lang = lang;
    page.defaultView.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' });
  }, [page, html, css, lang]);
  return (
    <iframe
      title={label}
      src={`${base}/frame`}
      className={style.frame}
      style={{ inlineSize: width }}
      onLoad={({ currentTarget }) => {
        const { contentDocument } = currentTarget;
        // A link would lead away from the preview.
        for (const name of ['click', 'auxclick'])
          contentDocument?.addEventListener(name, (event) => event.preventDefault());
        setPage(contentDocument);
      }}
    />
  );
}

/** Returns the page as the server renders it; a section is drawn here, on its own. */
async function drawPreview(subject: Subject, locale: string | null, signal: AbortSignal): Promise<Drawn> {
  if (!subject.page) {
    const { document } = await subject.read(signal);
    const { sources } = await subject.draw(document, locale, signal);
    return asPage(renderDocument(document, sources));
  }
  const page = await subject.page(locale, undefined, signal);
  const styles = [...page.matchAll(/<style>([^<]*)<\/style>/g)].map(([, text]) => text);
  const html = page.slice(page.indexOf('<body>') + '<body>'.length, page.lastIndexOf('</body>'));
  return { html, css: styles.join('') || pageStyle('') };
}
