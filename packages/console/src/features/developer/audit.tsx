import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { paths } from '../../paths.ts';
import { AuditList, auditQuery } from '../../shell/audit.tsx';
import { orgKey, orgMembersQuery } from './queries.ts';

/** The audit log of an organisation, for its owners (`decisions.md 15.6`). */
export function OrgAudit({ orgId }: { orgId: string }) {
  const { data: members = [] } = useQuery(orgMembersQuery(orgId));
  return (
    <AuditList
      queryKey={[...orgKey(orgId), 'audit']}
      read={(search, signal) =>
        api.get('/api/orgs/{orgId}/audit', {
          params: { path: { orgId }, query: auditQuery(search) },
          signal,
        })
      }
      members={members.map(({ userId, email }) => ({ userId, name: email }))}
      findHref={({ type, id }) => (type === 'app' ? paths.inOrg(orgId, 'apps', id) : null)}
    />
  );
}
