import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { type AuditEntry, AuditList, auditQuery, useAuditTexts } from '../../shell/audit.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { Screen } from '../../ui/layout.tsx';
import { actorsQuery } from './queries.ts';

export function Audit() {
  const store = useStore();
  const words = useAuditTexts();
  if (store.manages) return <StoreAudit />;
  return <NoPermission title={words.title} role={store.role} needed="admin" />;
}

/** The feature that shows each type of target; types without a screen are missing. */
const features: Partial<Record<AuditEntry['target']['type'], string>> = {
  app: 'apps',
  webhook: 'webhooks',
  page: 'pages',
  section: 'sections',
  article: 'blog',
  order: 'orders',
  discount: 'discounts',
};

function StoreAudit() {
  const words = useAuditTexts();
  const store = useStore();
  const { data: members = [] } = useQuery(actorsQuery(store.id));
  return (
    <Screen title={words.title} subtitle={words.subtitle}>
      <AuditList
        queryKey={['stores', store.id, 'audit']}
        read={(search, signal) =>
          api.get('/api/stores/{storeId}/audit', {
            params: { path: { storeId: store.id }, query: auditQuery(search) },
            signal,
          })
        }
        members={members}
        findHref={({ type, id }) => {
          const feature = features[type];
          return feature ? paths.inStore(store.id, feature, id) : null;
        }}
      />
    </Screen>
  );
}
