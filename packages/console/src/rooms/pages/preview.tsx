import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams, useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { DocumentLook } from '../../shell/document-look.tsx';
import { DeviceChoice, firstDevice } from '../../shell/page-frame.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { useLanguage } from '../../texts/texts.ts';
import { TextLink } from '../../ui/button.tsx';
import { Card, Grid, Screen } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { pageLookQuery, pageQuery, revisionsQuery } from './queries.ts';
import { usePageTexts } from './texts.ts';

/** How a page looks as it was saved last; beside it, when the address names one, an earlier state. */
export function PagePreview() {
  const words = usePageTexts();
  const store = useStore();
  const { pageId } = useParams({ strict: false }) as { pageId: string };
  if (store.can('pages.read')) return <Preview key={pageId} id={pageId} />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('pages.read')} />;
}

const asWritten = 'as-written';

function Preview({ id }: { id: string }) {
  const words = usePageTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const router = useRouter();
  const language = useLanguage();
  const { revision, locale } = useSearch({ strict: false }) as { revision?: string; locale?: string };
  const {
    data: { page },
  } = useSuspenseQuery(pageQuery(store.id, id));
  const { data: known } = useQuery({ ...revisionsQuery(store.id, id), enabled: revision !== undefined });
  const [device, setDevice] = useState(firstDevice);
  const earlier = known?.revisions.find((state) => state.id === revision);
  const others = (store.locales ?? []).slice(1);
  const names = new Intl.DisplayNames(language, { type: 'language', fallback: 'code' });
  const shown = { lang: locale, device };
  return (
    <Screen
      title={words.previewOf(page.name)}
      subtitle={words.previewHint}
      back={<TextLink href={paths.inStore(store.id, 'pages', id)}>{common.backTo(page.name)}</TextLink>}
      actions={
        <>
          {others.length > 0 && (
            <Select
              label={words.previewLanguage}
              isLabelHidden
              choices={[
                { id: asWritten, text: words.asWritten },
                ...others.map((other) => ({ id: other, text: names.of(other) ?? other })),
              ]}
              value={locale ?? asWritten}
              onChange={(next) =>
                void router.navigate({
                  to: '.',
                  search: ((before: object) => ({
                    ...before,
                    locale: next === asWritten ? undefined : next,
                  })) as never,
                  replace: true,
                })
              }
            />
          )}
          <DeviceChoice value={device} onChange={setDevice} />
        </>
      }
    >
      <Card>
        {revision ? (
          <Grid min="22rem">
            <DocumentLook
              title={earlier ? words.earlier(formats.dateTime(earlier.createdAt)) : words.earlierUnknown}
              query={pageLookQuery(store.id, id, revision, locale)}
              {...shown}
            />
            <DocumentLook
              title={words.present}
              query={pageLookQuery(store.id, id, null, locale)}
              {...shown}
            />
          </Grid>
        ) : (
          <DocumentLook title={words.present} query={pageLookQuery(store.id, id, null, locale)} {...shown} />
        )}
      </Card>
    </Screen>
  );
}
