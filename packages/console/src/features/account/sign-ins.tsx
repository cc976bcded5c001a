import { useInfiniteQuery } from '@tanstack/react-query';
import { Failure } from '../../shell/problems.tsx';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, Card, Row, Skeleton } from '../../ui/layout.tsx';
import style from './account.module.css';
import { signInsQuery } from './queries.ts';
import { getProgramName } from './sessions.tsx';
import { useAccountTexts } from './texts.ts';

/** Sign-ins of the last 90 days, failed ones included, so that the user notices strangers (`decisions.md 19.12`). */
export function SignIns() {
  const words = useAccountTexts();
  const formats = useFormats();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(signInsQuery);
  const signIns = data?.pages.flatMap((page) => page.signIns);
  return (
    <Card title={words.signIns}>
      <p>{words.signInsHint}</p>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!signIns && !error && <Skeleton lines={4} />}
      {signIns?.length === 0 && <p>{words.noSignIns}</p>}
      <ul className={style.sessions}>
        {signIns?.map(({ id, at, ip, userAgent, outcome }) => (
          <li key={id} className={style.session}>
            <span title={userAgent ?? undefined}>
              {getProgramName(userAgent, words)}{' '}
              {outcome === 'failed' && <Badge tone="warn">{words.signInFailed}</Badge>}
              <small>{[ip, formats.dateTime(at)].filter(Boolean).join(' · ')}</small>
            </span>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Row>
          <Button size="small" isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {words.moreSignIns}
          </Button>
        </Row>
      )}
    </Card>
  );
}
