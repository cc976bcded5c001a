import { useQuery } from '@tanstack/react-query';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { targetName, useAuditTexts } from '../../shell/audit.tsx';
import { Failure } from '../../shell/problems.tsx';
import { useFormats } from '../../texts/format.ts';
import { TextLink } from '../../ui/button.tsx';
import { Card, Skeleton } from '../../ui/layout.tsx';
import style from './apps.module.css';
import { activityQuery } from './queries.ts';
import { useAppsTexts } from './texts.ts';

/** The latest actions of an app, for members who may read the audit log. */
export function Activity({ appId }: { appId: string }) {
  const words = useAppsTexts();
  const audit = useAuditTexts();
  const formats = useFormats();
  const store = useStore();
  const { data: entries, error, refetch } = useQuery(activityQuery(store.id, appId));
  const log = `${paths.inStore(store.id, 'audit')}?${new URLSearchParams({ actor: appId })}`;
  return (
    <Card
      title={words.activity}
      actions={entries && entries.length > 0 && <TextLink href={log}>{words.allActivity}</TextLink>}
    >
      {error && !entries && <Failure error={error} onRetry={() => void refetch()} />}
      {!entries && !error && <Skeleton lines={3} />}
      {entries?.length === 0 && <p className={style.muted}>{words.noActivity}</p>}
      <ul className={style.versions}>
        {entries?.map(({ id, action, target, at }) => (
          <li key={id}>
            <span className={style.grow}>
              {audit.actions[action] ?? action}{' '}
              <span className={style.muted}>{targetName(target, audit)}</span>
            </span>
            <time className={style.muted} dateTime={at}>
              {formats.ago(at)}
            </time>
          </li>
        ))}
      </ul>
    </Card>
  );
}
