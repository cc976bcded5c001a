import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../texts/texts.ts';
import { Notice, Skeleton } from '../ui/layout.tsx';
import type { lookQuery } from './draw.ts';
import style from './page-frame.module.css';
import { type Device, PageFrame } from './page-frame.tsx';
import { frameTexts } from './page-frame-texts.ts';
import { Failure } from './problems.tsx';

/** A document as visitors would see it, below what it is. */
export function DocumentLook({
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
  const { data, error, refetch } = useQuery(query);
  return (
    <section className={style.look} aria-label={title}>
      <h2>{title}</h2>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={10} />}
      {data && (
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
          <PageFrame label={title} drawn={data} device={device} {...(lang && { lang })} />
        </>
      )}
    </section>
  );
}

/** Of more than these the first say enough: the editor lists them all. */
const shownProblems = 5;
