import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useParams } from '../../router/router.tsx';
import { DeviceChoice, firstDevice, PageFrame } from '../../shell/page-frame.tsx';
import { Failure, NoPermission, NotFound } from '../../shell/problems.tsx';
import { type TemplateKind, useTemplateNames } from '../../shell/template-names.ts';
import { liveSheetQuery } from '../../shell/theme.ts';
import { useCommon } from '../../texts/common.ts';
import { LinkButton, TextLink } from '../../ui/button.tsx';
import { Card, Screen, Skeleton } from '../../ui/layout.tsx';
import { templateLookQuery } from './queries.ts';
import { useDesignTexts } from './texts.ts';

/** A page that uses the saved draft of a template. */
export function TemplatePreview() {
  const words = useDesignTexts();
  const names = useTemplateNames();
  const store = useStore();
  const { kind } = useParams<'kind'>();
  if (!Object.hasOwn(names.kinds, kind)) return <NotFound />;
  if (store.can('pages.read')) return <Preview key={kind} kind={kind as TemplateKind} />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('pages.read')} />;
}

function Preview({ kind }: { kind: TemplateKind }) {
  const words = useDesignTexts();
  const common = useCommon();
  const names = useTemplateNames();
  const store = useStore();
  const [device, setDevice] = useState(firstDevice);
  const { data, error, refetch } = useQuery(templateLookQuery(store.id, kind));
  const { data: sheet } = useQuery(liveSheetQuery(store.id));
  const title = words.previewTitle({ name: names.kinds[kind] });
  return (
    <Screen
      title={title}
      subtitle={words.previewHint}
      back={
        <TextLink href={paths.inStore(store.id, 'design')}>{common.backTo({ place: words.title })}</TextLink>
      }
      actions={
        <>
          <DeviceChoice value={device} onChange={setDevice} />
          {store.can('pages.write') && (
            <LinkButton look="primary" href={paths.inStore(store.id, 'design', kind, 'edit')}>
              {common.openEditor}
            </LinkButton>
          )}
        </>
      }
    >
      <Card>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {(!data || sheet === undefined) && !error && <Skeleton lines={10} />}
        {data && sheet !== undefined && (
          <PageFrame label={title} drawn={{ html: data.html, css: data.css + sheet }} device={device} />
        )}
      </Card>
    </Screen>
  );
}
