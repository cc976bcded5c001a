import { useQuery } from '@tanstack/react-query';
import { useStore } from '../../api/me.ts';
import { Failure } from '../../shell/problems.tsx';
import { useFormats } from '../../texts/format.ts';
import { Card, Skeleton } from '../../ui/layout.tsx';
import { limitsQuery } from './queries.ts';
import style from './settings.module.css';
import { useSettingsTexts } from './texts.ts';

/** The limits of the store and their usage. */
export function Limits() {
  const words = useSettingsTexts();
  const formats = useFormats();
  const { id } = useStore();
  const { data, error, refetch } = useQuery(limitsQuery(id));
  const named: Readonly<Record<string, string>> = words.limitNames;
  return (
    <Card title={words.limits}>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={4} />}
      {data && (
        <ul className={style.limits}>
          {data.limits.map(({ name, used, limit }) => {
            const amount = name === 'media' ? formats.size : formats.number;
            return (
              <li key={name}>
                <label className={style.limit}>
                  <span>
                    {named[name] ?? name}
                    <small>{words.usedOf({ used: amount(used), limit: amount(limit) })}</small>
                  </span>
                  <meter value={used} max={limit} high={limit * 0.9} optimum={0} />
                </label>
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}
