import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useStoreId } from '../api/me.ts';
import { useSearch } from '../router/router.tsx';
import { useCommon } from '../texts/common.ts';
import { useFormats } from '../texts/format.ts';
import { useTexts } from '../texts/texts.ts';
import { TextLink } from '../ui/button.tsx';
import { Card, Grid, Notice, Screen, Skeleton } from '../ui/layout.tsx';
import type { lookQuery } from './draw.ts';
import style from './page-frame.module.css';
import { type Device, DeviceChoice, firstDevice, PageFrame } from './page-frame.tsx';
import { frameTexts } from './page-frame-texts.ts';
import { Failure } from './problems.tsx';
import { liveSheetQuery } from './theme.ts';

/** A preview of a saved document. If the address names a revision (`?revision=`), it stands beside the preview. */
export function PreviewScreen({
  name,
  href,
  getLookQuery,
  history,
  lang,
  actions,
}: {
  name: string;
  /** Address of the item that the document belongs to. */
  href: string;
  /** The query that draws a revision, or the saved draft for null. */
  getLookQuery(revisionId: string | null): ReturnType<typeof lookQuery>;
  /** The revisions, as far as they are loaded. */
  history: readonly { id: string; createdAt: string }[] | undefined;
  lang?: string | undefined;
  actions?: ReactNode;
}) {
  const words = useTexts(frameTexts);
  const common = useCommon();
  const formats = useFormats();
  const { revision } = useSearch<{ revision?: string }>();
  const [device, setDevice] = useState(firstDevice);
  const earlier = history?.find(({ id }) => id === revision);
  const shown = { lang, device };
  const present = <DocumentLook title={words.present} query={getLookQuery(null)} {...shown} />;
  return (
    <Screen
      title={words.previewOf({ name })}
      subtitle={words.hint}
      back={<TextLink href={href}>{common.backTo({ place: name })}</TextLink>}
      actions={
        <>
          {actions}
          <DeviceChoice value={device} onChange={setDevice} />
        </>
      }
    >
      <Card>
        {revision ? (
          <Grid min="22rem">
            <DocumentLook
              title={
                earlier ? words.earlier({ at: formats.dateTime(earlier.createdAt) }) : words.earlierUnknown
              }
              query={getLookQuery(revision)}
              {...shown}
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

/** A document as visitors would see it, below its title. */
function DocumentLook({
  title,
  query,
  lang,
  device,
}: {
  title: string;
  query: ReturnType<typeof lookQuery>;
  lang?: string | undefined;
  device: Device;
}) {
  const words = useTexts(frameTexts);
  const storeId = useStoreId();
  const { data, error, refetch } = useQuery(query);
  const { data: sheet } = useQuery(liveSheetQuery(storeId));
  return (
    <section className={style.look} aria-label={title}>
      <h2>{title}</h2>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {(!data || sheet === undefined) && !error && <Skeleton lines={10} />}
      {data && sheet !== undefined && (
        <>
          {data.problems.length > 0 && (
            <Notice tone="warn" title={words.problems}>
              <ul>
                {data.problems.slice(0, shownProblems).map(({ pointer, message }) => (
                  <li key={`${pointer} ${message}`}>{message}</li>
                ))}
              </ul>
            </Notice>
          )}
          <PageFrame
            label={title}
            drawn={{ html: data.html, css: data.css + sheet }}
            device={device}
            {...(lang && { lang })}
          />
        </>
      )}
    </section>
  );
}

/** Maximum number of problems shown here; the editor lists all. */
const shownProblems = 5;
