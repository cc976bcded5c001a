import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { getRoleRights } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../shell/problems.tsx';
import { Button, TextLink } from '../../ui/button.tsx';
import { Card, Row, Skeleton } from '../../ui/layout.tsx';
import style from './developer.module.css';
import { useOrgId } from './parts.tsx';
import { storesQuery, type VersionDetails } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';

/** Installs a version in a development store with one click (`decisions.md 14.3`). */
export function TryIt({ version }: { version: VersionDetails }) {
  const words = useDeveloperTexts();
  const orgId = useOrgId();
  const { data, error, refetch } = useQuery(storesQuery(orgId));
  const install = useMutation(
    ({ id, name }: { id: string; name: string }) =>
      api
        .post('/api/stores/{storeId}/apps/{appId}/install', {
          params: { path: { storeId: id, appId: version.appId } },
          body: {
            versionId: version.id,
            scopes: version.scopes,
            connectOrigins: version.connectOrigins,
          },
        })
        .then(() => ({ store: name })),
    { done: words.installedIn, invalidates: [['stores']] },
  );
  const own = data?.filter(({ role }) => role !== null && getRoleRights(role).manages);
  return (
    <Card title={words.tryIt}>
      <p className={style.muted}>{words.tryHint}</p>
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !own ? (
        <Skeleton lines={2} />
      ) : own.length === 0 ? (
        <p>
          {words.noStores} <TextLink href={`${paths.inOrg(orgId)}?tab=stores`}>{words.newStore}</TextLink>
        </p>
      ) : (
        own.map((store) => (
          <Row key={store.id}>
            <Button isPending={install.isPending} onPress={() => void install.run(store)}>
              {words.installIn({ store: store.name })}
            </Button>
            <TextLink href={paths.store(store.id)} aria-label={`${words.openStore}: ${store.name}`}>
              {words.openStore}
            </TextLink>
          </Row>
        ))
      )}
    </Card>
  );
}
