import type { Domain, Permission } from '@waybill/contracts/permissions';
import { type ListSearch, useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { AppIcon } from '../../shell/apps.tsx';
import { ResourceList } from '../../shell/resource-list.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { usePermissionWords } from '../../texts/permissions.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Badge, Empty, Row, Screen, type Tone } from '../../ui/layout.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import style from './apps.module.css';
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
  const search = useSearch<ListSearch>();
  const list = useList([...installsKey(store.id), 'list'], search, (given, signal) =>
    readInstalls(store.id, given, signal),
  );
  const { getDomainName } = usePermissionWords();
  /** Names the resources that the scopes cover, each once. */
  const describeAccess = (scopes: readonly Permission[]) =>
    formats.list([...new Set(scopes.map((scope) => getDomainName(scope.split('.')[0] as Domain)))]);
  const columns: ColumnOf<Install>[] = [
    {
      id: 'name',
      title: words.app,
      isHeader: true,
      cell: ({ appName }) => (
        <span className={style.named}>
          <AppIcon url={null} name={appName} />
          {appName}
        </span>
      ),
    },
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
      id: 'access',
      title: words.access,
      isWide: true,
      cell: ({ grantedScopes }) => (
        <span className={style.muted}>{describeAccess(grantedScopes) || words.noAccess}</span>
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
      <ResourceList
        label={words.installed}
        list={list}
        items={list.data?.apps}
        columns={columns}
        getHref={({ appId }) => paths.inStore(store.id, 'apps', appId)}
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
        summary={words.count}
      />
    </Screen>
  );
}
