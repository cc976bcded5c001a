import { type PageDocument, pageStyle, renderDocument } from '@waybill/page';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Failure } from '../../shell/problems.tsx';
import { Skeleton } from '../../ui/layout.tsx';
import style from './sheets.module.css';
import { useView, useWorkbench } from './workbench.ts';

/** A document as visitors would see it, in a frame that runs nothing. `name` tells documents apart. */
export function PageFrame({ document, name, label }: { document: PageDocument; name: string; label: string }) {
  const { subject } = useWorkbench();
  const { locale } = useView();
  const { data, error, refetch } = useQuery({
    queryKey: [...subject.queryKey, subject.id, 'drawn', name, locale],
    queryFn: async ({ signal }) => {
      const { sources } = await subject.draw(document, locale, signal);
      return renderDocument(document, sources);
    },
    staleTime: 60_000,
    gcTime: 0,
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={8} />;
  return <Frame html={data.html} css={data.css} label={label} />;
}

/** The page's policy holds in the frame and lets no style element in, so the style sheet is adopted. */
function Frame({ html, css, label }: { html: string; css: string; label: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [src, setSrc] = useState<string>();
  useEffect(() => {
    const page = `<!doctype html><meta charset="utf-8"><title></title><body>${html}`;
    const url = URL.createObjectURL(new Blob([page], { type: 'text/html' }));
    setSrc(url);
    return () => URL.revokeObjectURL(url);
  }, [html]);
  function adopt() {
    const shown = frame.current?.contentDocument;
    if (!shown?.defaultView || shown.URL === 'about:blank') return;
    const sheet = new shown.defaultView.CSSStyleSheet();
    sheet.replaceSync(pageStyle(css));
    shown.adoptedStyleSheets = [sheet];
  }
  return (
    <iframe
      ref={frame}
      title={label}
      {...(src && { src })}
      sandbox="allow-same-origin"
      onLoad={adopt}
      className={style.frame}
    />
  );
}
