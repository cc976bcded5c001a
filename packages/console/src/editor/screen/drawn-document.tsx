import { useQuery } from '@tanstack/react-query';
import { type PageDocument, renderDocument } from '@waybill/page';
import { asPage } from '../../shell/draw.ts';
import { type Device, PageFrame } from '../../shell/page-frame.tsx';
import { Failure } from '../../shell/problems.tsx';
import { Skeleton } from '../../ui/layout.tsx';
import { useView, useWorkbench } from './workbench.ts';

/** A document as visitors would see it, drawn anew. `name` tells documents apart. */
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
  const { subject } = useWorkbench();
  const { locale } = useView();
  const { data, error, refetch } = useQuery({
    queryKey: [...subject.queryKey, subject.id, 'drawn', name, locale],
    queryFn: async ({ signal }) => {
      const { sources } = await subject.draw(document, locale, signal);
      return asPage(renderDocument(document, sources));
    },
    gcTime: 0,
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={8} />;
  return <PageFrame label={label} drawn={data} device={device} {...(locale !== null && { lang: locale })} />;
}
