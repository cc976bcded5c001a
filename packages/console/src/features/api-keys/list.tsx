import { useState } from 'react';
import { api } from '../../api/client.ts';
import { type ListSearch, useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { ResourceList } from '../../shell/resource-list.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { usePermissionWords } from '../../texts/permissions.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Badge, Empty, Screen } from '../../ui/layout.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import style from './api-keys.module.css';
import { type ApiKey, apiKeysKey, readApiKeys } from './queries.ts';
import { describeScopes } from './scopes.ts';
import { useApiKeyTexts } from './texts.ts';

export function ApiKeyList() {
  const store = useStore();
  const words = useApiKeyTexts();
  if (store.manages) return <List />;
  return <NoPermission title={words.title} role={store.role} needed="admin" />;
}

function List() {
  const words = useApiKeyTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const { getDomainName } = usePermissionWords();
  const search = useSearch<ListSearch>();
  const list = useList(apiKeysKey(store.id), search, (given, signal) => readApiKeys(store.id, given, signal));
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const revoke = useMutation(
    (keyId: string) =>
      api.delete('/api/stores/{storeId}/api-keys/{keyId}', {
        params: { path: { storeId: store.id, keyId } },
      }),
    { done: words.revokedDone, invalidates: [apiKeysKey(store.id)] },
  );
  const create = (
    <LinkButton look="primary" href={paths.inStore(store.id, 'api-keys', 'new')}>
      {words.new}
    </LinkButton>
  );
  const columns: ColumnOf<ApiKey>[] = [
    {
      id: 'name',
      title: common.name,
      isHeader: true,
      cell: ({ name, prefix }) => (
        <span className={style.name}>
          {name}
          <small>
            <code>{prefix}…</code>
          </small>
        </span>
      ),
    },
    {
      id: 'scopes',
      title: words.scopes,
      isWide: true,
      cell: ({ scopes }) => (
        <div className={style.scopes}>{describeScopes(scopes, words, getDomainName).join(' · ')}</div>
      ),
    },
    {
      id: 'used',
      title: words.lastUsed,
      cell: ({ lastUsedAt }) =>
        lastUsedAt ? formats.ago(lastUsedAt) : <span className={style.muted}>{words.never}</span>,
    },
    {
      id: 'created',
      title: common.created,
      isWide: true,
      cell: ({ createdAt }) => formats.date(createdAt),
    },
    {
      id: 'state',
      title: common.status,
      isEnd: true,
      cell: (key) =>
        key.revokedAt ? (
          <Badge>{words.revoked}</Badge>
        ) : (
          <Button size="small" aria-label={`${words.revoke}: ${key.name}`} onPress={() => setRevoking(key)}>
            {words.revoke}
          </Button>
        ),
    },
  ];
  return (
    <Screen title={words.title} subtitle={words.subtitle} actions={create}>
      <ResourceList
        label={words.title}
        list={list}
        items={list.data?.apiKeys}
        columns={columns}
        empty={
          <Empty title={words.empty} action={create}>
            {words.emptyHint}
          </Empty>
        }
        summary={words.count}
      />
      <ConfirmDialog
        title={words.revokeTitle({ name: revoking?.name ?? '' })}
        confirm={words.revoke}
        isOpen={revoking !== null}
        onClose={() => setRevoking(null)}
        onConfirm={() => revoke.attempt(revoking!.id)}
      >
        {words.revokeHint}
      </ConfirmDialog>
    </Screen>
  );
}
