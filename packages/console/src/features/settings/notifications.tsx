import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { Failure } from '../../shell/problems.tsx';
import { Card, Skeleton } from '../../ui/layout.tsx';
import { Switch } from '../../ui/switch.tsx';
import { notificationQuery } from './queries.ts';
import style from './settings.module.css';
import { SettingsScreen } from './settings-screen.tsx';
import { useSettingsTexts } from './texts.ts';

/** The notification mails of the current user, which every role may choose. */
export function NotificationSettings() {
  const words = useSettingsTexts();
  const { id: storeId } = useStore();
  const query = notificationQuery(storeId);
  const { data, error, refetch } = useQuery(query);
  const change = useMutation(
    (orderCreated: boolean) => api.patch('/api/me/notifications', { body: { storeId, orderCreated } }),
    { done: words.saved, invalidates: [query.queryKey] },
  );
  return (
    <SettingsScreen part="notifications">
      <Card title={words.mails}>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton lines={1} />}
        {data && (
          <>
            <Switch
              label={words.orderMails}
              value={data.orderCreated}
              onChange={(isOn) => void change.run(isOn)}
            />
            <p className={style.hint}>{words.orderMailsHint}</p>
          </>
        )}
      </Card>
    </SettingsScreen>
  );
}
