import { useSearch } from '@tanstack/react-router';
import { type ListSearch, useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Badge, Card, Empty, Row, Screen, type Tone } from '../../ui/layout.tsx';
import { type ColumnOf, ListPager, Table } from '../../ui/table.tsx';
import { type Install, installsKey, readInstalls } from './queries.ts';
import { useAppsTexts } from './texts.ts';
import { Views } from './views.tsx';

export const stateTones: Readonly<Record<Install['state'], Tone>> = {
  installed: 'good',
  disabled: 'warn',
  suspended: 'bad',
  uninstalled: 'neutral',
};

export function InstalledApps() {
  const words = useAppsTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const search = useSearch({ strict: false }) as ListSearch;
  const list = useList([...installsKey(store.id), 'list'], search, (given, signal) =>
    readInstalls(store.id, given, signal),
  );
  const columns: ColumnOf<Install>[] = [
    { id: 'name', title: common.name, isHeader: true, cell: ({ appName }) => appName },
    {
      id: 'state',
      title: common.status,
      cell: ({ state, waitingVersionId, isDevelopment }) => (
        <Row>
          <Badge tone={stateTones[state]}>{words.state[state]}</Badge>
          {waitingVersionId && state !== 'uninstalled' && <Badge tone="accent">{words.waits}</Badge>}
          {isDevelopment && <Badge>{words.development}</Badge>}
        </Row>
      ),
    },
    {
      id: 'version',
      title: words.version,
      isEnd: true,
      cell: ({ versionNumber }) => formats.number(versionNumber),
    },
    {
      id: 'updated',
      title: common.updated,
      isEnd: true,
      isWide: true,
      cell: ({ updatedAt }) => formats.date(updatedAt),
    },
  ];
  return (
    <Screen title={words.title} actions={<Views present="installed" />}>
      <Card isFlush>
        {list.error && !list.data ? (
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <Table
            label={words.installed}
            columns={columns}
            items={list.data?.apps ?? []}
            hrefOf={({ appId }) => paths.inStore(store.id, 'apps', appId)}
            isLoading={list.isFetching}
            empty={
              <Empty
                title={words.empty}
                action={
                  <LinkButton look="primary" href={paths.inStore(store.id, 'apps', 'directory')}>
                    {words.find}
                  </LinkButton>
                }
              >
                {words.emptyHint}
              </Empty>
            }
          />
        )}
        <ListPager list={list} summary={words.count} />
      </Card>
    </Screen>
  );
}
