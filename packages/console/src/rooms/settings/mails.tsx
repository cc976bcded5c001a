import { useQuery } from '@tanstack/react-query';
import { useAct } from '../../api/act.ts';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { Failure } from '../../shell/problems.tsx';
import { Card, Skeleton } from '../../ui/layout.tsx';
import { Switch } from '../../ui/switch.tsx';
import { notificationQuery } from './queries.ts';
import { useSettingsTexts } from './texts.ts';

/** What whoever looks is mailed of in this store: theirs alone, whatever their role is. */
export function Mails() {
  const words = useSettingsTexts();
  const { id: storeId } = useStore();
  const query = notificationQuery(storeId);
  const { data, error, refetch } = useQuery(query);
  const change = useAct(
    (orderCreated: boolean) => api.patch('/api/me/notifications', { body: { storeId, orderCreated } }),
    { done: words.saved, touches: [query.queryKey] },
  );
  return (
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
          <p>{words.orderMailsHint}</p>
        </>
      )}
    </Card>
  );
}
