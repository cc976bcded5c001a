import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useStoreId } from '../api/me.ts';
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

/** How a document looks as it was saved last; beside it, when the address names one (`?revision=`), an earlier state. */
export function PreviewScreen({
  name,
  href,
  lookOf,
  history,
  lang,
  actions,
}: {
  name: string;
  /** Where the thing is, whose document it is. */
  href: string;
  /** How it looks in an earlier state; null: as it was saved last. */
  lookOf(revisionId: string | null): ReturnType<typeof lookQuery>;
  /** When its states were saved, as far as that is known. */
  history: readonly { id: string; createdAt: string }[] | undefined;
  lang?: string | undefined;
  actions?: ReactNode;
}) {
  const words = useTexts(frameTexts);
  const common = useCommon();
  const formats = useFormats();
  const { revision } = useSearch({ strict: false }) as { revision?: string };
  const [device, setDevice] = useState(firstDevice);
  const earlier = history?.find(({ id }) => id === revision);
  const shown = { lang, device };
  const present = <DocumentLook title={words.present} query={lookOf(null)} {...shown} />;
  return (
    <Screen
      title={words.previewOf(name)}
      subtitle={words.hint}
      back={<TextLink href={href}>{common.backTo(name)}</TextLink>}
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
              title={earlier ? words.earlier(formats.dateTime(earlier.createdAt)) : words.earlierUnknown}
              query={lookOf(revision)}
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

/** A document as visitors would see it, below what it is. */
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

/** Of more than these the first say enough: the editor lists them all. */
const shownProblems = 5;
