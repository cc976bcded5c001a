import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { DocumentLook } from '../../shell/document-look.tsx';
import { DeviceChoice, firstDevice } from '../../shell/page-frame.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { TextLink } from '../../ui/button.tsx';
import { Card, Grid, Screen } from '../../ui/layout.tsx';
import { revisionsQuery, sectionLookQuery, sectionQuery } from './queries.ts';
import { useSectionTexts } from './texts.ts';

/** How a section looks as it was saved last; beside it, when the address names one, an earlier state. */
export function SectionPreview() {
  const words = useSectionTexts();
  const store = useStore();
  const { sectionId } = useParams({ strict: false }) as { sectionId: string };
  if (store.can('pages.read')) return <Preview key={sectionId} id={sectionId} />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('pages.read')} />;
}

function Preview({ id }: { id: string }) {
  const words = useSectionTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const { revision } = useSearch({ strict: false }) as { revision?: string };
  const {
    data: { section },
  } = useSuspenseQuery(sectionQuery(store.id, id));
  const { data: known } = useQuery({ ...revisionsQuery(store.id, id), enabled: revision !== undefined });
  const [device, setDevice] = useState(firstDevice);
  const earlier = known?.revisions.find((state) => state.id === revision);
  const present = (
    <DocumentLook title={words.present} query={sectionLookQuery(store.id, id, null)} device={device} />
  );
  return (
    <Screen
      title={words.previewOf(section.name)}
      subtitle={words.previewHint}
      back={<TextLink href={paths.inStore(store.id, 'sections', id)}>{common.backTo(section.name)}</TextLink>}
      actions={<DeviceChoice value={device} onChange={setDevice} />}
    >
      <Card>
        {revision ? (
          <Grid min="22rem">
            <DocumentLook
              title={earlier ? words.earlier(formats.dateTime(earlier.createdAt)) : words.earlierUnknown}
              query={sectionLookQuery(store.id, id, revision)}
              device={device}
            />
            {present}
          </Grid>
        ) : (
          present
        )}
      </Card>
    </Screen>
  );
}
