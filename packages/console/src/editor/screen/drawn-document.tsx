import { useQuery } from '@tanstack/react-query';
import { type PageDocument, pageStyle, renderDocument } from '@waybill/page';
import { asPage } from '../../shell/draw.ts';
import { type Device, PageFrame } from '../../shell/page-frame.tsx';
import { Failure } from '../../shell/problems.tsx';
import { liveSheetQuery } from '../../shell/theme.ts';
import { Skeleton } from '../../ui/layout.tsx';
import { useView, useWorkbench } from '../workbench/workbench.ts';

/** Draws a document as visitors would see it. `name` identifies the document. */
export function DrawnDocument({
  document,
  name,
  label,
  device,
}: {
  document: PageDocument;
  name: string;
  label: string;
  device: Device;
}) {
  const { subject, storeId } = useWorkbench();
  const { locale } = useView();
  const { data, error, refetch } = useQuery({
    queryKey: [...subject.queryKey, subject.id, 'drawn', name, locale],
    queryFn: async ({ signal }) => {
      const { sources } = await subject.draw(document, locale, signal);
      const { landmark } = subject;
      if (!landmark) return asPage(renderDocument(document, sources));
      const { html, css } = renderDocument(document, sources, { landmark });
      return { html, css: pageStyle(css) };
    },
    gcTime: 0,
  });
  const { data: sheet } = useQuery(liveSheetQuery(storeId));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data || sheet === undefined) return <Skeleton lines={8} />;
  return (
    <PageFrame
      label={label}
      drawn={{ html: data.html, css: data.css + sheet }}
      device={device}
      {...(locale !== null && { lang: locale })}
    />
  );
}
