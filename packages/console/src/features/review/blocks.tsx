import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Device, DeviceChoice, PageFrame } from '../../shell/page-frame.tsx';
import { Failure } from '../../shell/problems.tsx';
import { Badge, Card, Grid, Row, Skeleton } from '../../ui/layout.tsx';
import { type ReviewedVersion, renderingsQuery } from './queries.ts';
import style from './review.module.css';
import { useReviewTexts } from './texts.ts';

/** The blocks of a version and of its predecessor, with their differences. */
export function Blocks({ version }: { version: ReviewedVersion }) {
  const words = useReviewTexts();
  const { data, error, refetch } = useQuery(renderingsQuery(version.id));
  const { blocks, blockChanges } = version.changes;
  const [device, setDevice] = useState<Device>('fit');
  return (
    <Card
      title={words.blocks}
      actions={data && data.length > 0 && <DeviceChoice value={device} onChange={setDevice} hasFit />}
    >
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={8} />
      ) : data.length === 0 ? (
        <p className={style.muted}>{words.noBlocks}</p>
      ) : (
        <>
          <p className={style.muted}>{words.renderingHint}</p>
          {data.map(({ key, name, before, after, isCut }) => (
            <article key={key} className={style.block}>
              <Row>
                <h3>{name}</h3>
                <code>{key}</code>
                {blocks.added.includes(key) ? (
                  <Badge tone="accent">{words.added}</Badge>
                ) : blocks.removed.includes(key) ? (
                  <Badge tone="bad">{words.removed}</Badge>
                ) : blocks.changed.includes(key) ? (
                  <Badge tone="warn">{words.changed}</Badge>
                ) : (
                  <Badge>{words.unchanged}</Badge>
                )}
              </Row>
              <Grid min="16rem">
                {(
                  [
                    [words.before, before, words.beforeOf({ name })],
                    [words.after, after, words.afterOf({ name })],
                  ] as const
                ).map(([side, rendered, label]) => (
                  <div key={side} className={style.side}>
                    <span className={style.muted}>{side}</span>
                    {rendered ? (
                      <PageFrame label={label} drawn={rendered} device={device} />
                    ) : (
                      <p>{isCut ? words.tooLarge : words.missing}</p>
                    )}
                  </div>
                ))}
              </Grid>
              {blockChanges
                .filter((change) => change.key === key)
                .map((change) => (
                  <Differences key={change.key} change={change} />
                ))}
            </article>
          ))}
        </>
      )}
    </Card>
  );
}

function Differences({ change }: { change: ReviewedVersion['changes']['blockChanges'][number] }) {
  const words = useReviewTexts();
  const { differences, hasMore } = change;
  return (
    <details open={differences.length <= 10}>
      <summary>{words.differences({ count: differences.length })}</summary>
      <ul className={style.differences}>
        {differences.map(({ pointer, before, after, isCut }) => (
          <li key={pointer}>
            <code>{pointer || '/'}</code>
            <Grid min="16rem">
              {[before, after].map((value, position) => (
                <pre key={position} className={style.value}>
                  {value === undefined
                    ? isCut
                      ? words.tooLarge
                      : words.missing
                    : JSON.stringify(value, null, 2)}
                </pre>
              ))}
            </Grid>
          </li>
        ))}
      </ul>
      {hasMore && <p>{words.moreDifferences}</p>}
    </details>
  );
}
