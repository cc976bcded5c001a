import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMe } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, Empty, Notice, Skeleton } from '../../ui/layout.tsx';
import { Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import { Table } from '../../ui/table.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { PagedTable } from './parts.tsx';
import { type Org, type OrgRole, orgKey, toPageQuery } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';

const roles = ['owner', 'developer'] as const;

/** The members of an organisation and its open invitations. */
export function Members({ org }: { org: Org }) {
  const words = useDeveloperTexts();
  const common = useCommon();
  const formats = useFormats();
  const me = useMe();
  const [removedMember, setRemovedMember] = useState<{ userId: string; email: string } | null>(null);
  const [isInviting, setInviting] = useState(false);
  const isOwner = org.role === 'owner';
  const remove = useMutation(
    (userId: string) =>
      api.delete('/api/orgs/{orgId}/members/{userId}', { params: { path: { orgId: org.id, userId } } }),
    { done: words.memberRemoved, invalidates: [orgKey(org.id)] },
  );
  return (
    <>
      {!isOwner && <Notice>{words.ownersOnly}</Notice>}
      <PagedTable
        title={words.members}
        actions={
          isOwner && (
            <Button look="primary" onPress={() => setInviting(true)}>
              {words.invite}
            </Button>
          )
        }
        queryKey={[...orgKey(org.id), 'members']}
        read={async (search, signal) => {
          const { members, ...rest } = await api.get('/api/orgs/{orgId}/members', {
            params: { path: { orgId: org.id }, query: toPageQuery(search) },
            signal,
          });
          return { items: members.map((member) => ({ id: member.userId, ...member })), ...rest };
        }}
        columns={[
          { id: 'email', title: words.email, cell: ({ email }) => email },
          {
            id: 'role',
            title: words.role,
            cell: (member) => (isOwner ? <RoleSelect org={org} member={member} /> : words.roles[member.role]),
          },
          {
            id: 'since',
            title: words.since,
            isWide: true,
            cell: ({ createdAt }) => formats.date(createdAt),
          },
          {
            id: 'actions',
            title: common.actions,
            isTitleHidden: true,
            isEnd: true,
            cell: (member) =>
              (isOwner || member.userId === me.user.id) && (
                <Button
                  size="small"
                  look="quiet"
                  aria-label={words.removeMemberTitle({ email: member.email })}
                  onPress={() => setRemovedMember(member)}
                >
                  {words.removeMember}
                </Button>
              ),
          },
        ]}
        empty={<Skeleton />}
      />
      {isOwner && <Invitations org={org} />}
      {isInviting && <Invite org={org} onClose={() => setInviting(false)} />}
      <ConfirmDialog
        title={words.removeMemberTitle({ email: removedMember?.email ?? '' })}
        confirm={common.remove}
        isOpen={removedMember !== null}
        onClose={() => setRemovedMember(null)}
        onConfirm={() => remove.attempt(removedMember!.userId)}
      >
        {words.removeMemberHint}
      </ConfirmDialog>
    </>
  );
}

function RoleSelect({
  org,
  member: { userId, role, email },
}: {
  org: Org;
  member: { userId: string; role: OrgRole; email: string };
}) {
  const words = useDeveloperTexts();
  const setRole = useMutation(
    (next: OrgRole) =>
      api.patch('/api/orgs/{orgId}/members/{userId}', {
        params: { path: { orgId: org.id, userId } },
        body: { role: next },
      }),
    { done: words.roleChanged, invalidates: [orgKey(org.id)] },
  );
  return (
    <Select
      label={`${words.role}: ${email}`}
      isLabelHidden
      choices={roles.map((id) => ({ id, text: words.roles[id] }))}
      value={role}
      onChange={(next) => next !== role && void setRole.run(next)}
    />
  );
}

/** The open invitations, at most 100. */
function Invitations({ org }: { org: Org }) {
  const words = useDeveloperTexts();
  const common = useCommon();
  const formats = useFormats();
  const path = { orgId: org.id };
  const { data, error, refetch } = useQuery({
    queryKey: [...orgKey(org.id), 'invitations'],
    queryFn: ({ signal }) =>
      api.get('/api/orgs/{orgId}/invitations', { params: { path, query: { limit: 100 } }, signal }),
  });
  const revoke = useMutation(
    (invitationId: string) =>
      api.delete('/api/orgs/{orgId}/invitations/{invitationId}', {
        params: { path: { ...path, invitationId } },
      }),
    { done: words.invitationRevoked, invalidates: [orgKey(org.id)] },
  );
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data || data.total === 0) return null;
  return (
    <Card title={words.invitations} isFlush>
      <Table
        label={words.invitations}
        items={data.invitations}
        columns={[
          { id: 'email', title: words.email, cell: ({ email }) => email },
          { id: 'role', title: words.role, cell: ({ role }) => words.roles[role] },
          {
            id: 'expires',
            title: words.expires,
            isWide: true,
            cell: ({ expiresAt }) => formats.dateTime(expiresAt),
          },
          {
            id: 'actions',
            title: common.actions,
            isTitleHidden: true,
            isEnd: true,
            cell: ({ id, email }) => (
              <Button
                size="small"
                look="quiet"
                aria-label={`${words.revokeInvitation}: ${email}`}
                isPending={revoke.isPending}
                onPress={() => void revoke.run(id)}
              >
                {words.revokeInvitation}
              </Button>
            ),
          },
        ]}
        empty={<Empty title={common.none} />}
      />
    </Card>
  );
}

function Invite({ org, onClose }: { org: Org; onClose(): void }) {
  const words = useDeveloperTexts();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<OrgRole>('developer');
  const invite = useMutation(
    () =>
      api.post('/api/orgs/{orgId}/invitations', {
        params: { path: { orgId: org.id } },
        body: { email, role },
      }),
    { done: words.invited({ email }), invalidates: [orgKey(org.id)], onDone: onClose },
  );
  return (
    <Dialog title={words.invite} isOpen onClose={onClose} size="small">
      <Form mutation={invite} onSubmit={() => void invite.run(undefined)}>
        <TextField
          label={words.email}
          name="/email"
          type="email"
          value={email}
          onChange={setEmail}
          isRequired
          autoFocus
        />
        <Select<OrgRole>
          label={words.role}
          name="/role"
          choices={roles.map((id) => ({ id, text: words.roles[id] }))}
          value={role}
          onChange={setRole}
        />
        <Actions>
          <Button look="primary" type="submit" isPending={invite.isPending}>
            {words.invite}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
