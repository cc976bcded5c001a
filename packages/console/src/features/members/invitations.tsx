import { useQuery } from '@tanstack/react-query';
import type { Role } from '@waybill/contracts/permissions';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card } from '../../ui/layout.tsx';
import { ActionMenu, Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { type ColumnOf, Table } from '../../ui/table.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { ChooseRole } from './choose-role.tsx';
import style from './members.module.css';
import { type Invitation, invitationsKey, invitationsQuery } from './queries.ts';
import { useMemberTexts } from './texts.ts';

/** Sends an invitation, or a new link to somebody who is already invited (`decisions.md 15.5`). */
function useInvite(options: { onDone?(): void; fields?: Record<string, string> } = {}) {
  const words = useMemberTexts();
  const store = useStore();
  return useMutation(
    (body: { email: string; role: Role }) =>
      api.post('/api/stores/{storeId}/invitations', { params: { path: { storeId: store.id } }, body }),
    {
      done: ({ invitation }) => words.invited({ email: invitation.email }),
      invalidates: [invitationsKey(store.id)],
      ...options,
    },
  );
}

/** The invitations that nobody has accepted yet. */
export function Invitations() {
  const words = useMemberTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const { data, error, isFetching, refetch } = useQuery(invitationsQuery(store.id));
  const [withdrawing, setWithdrawing] = useState<Invitation | null>(null);
  const again = useInvite();
  const withdraw = useMutation(
    (invitationId: string) =>
      api.delete('/api/stores/{storeId}/invitations/{invitationId}', {
        params: { path: { storeId: store.id, invitationId } },
      }),
    { done: words.withdrawn, invalidates: [invitationsKey(store.id)] },
  );
  const columns: ColumnOf<Invitation>[] = [
    { id: 'email', title: words.email, isHeader: true, cell: ({ email }) => email },
    { id: 'role', title: words.role, cell: ({ role }) => common.roles[role] },
    {
      id: 'expires',
      title: words.expires,
      isWide: true,
      cell: ({ expiresAt }) =>
        Date.parse(expiresAt) < Date.now() ? (
          <Badge tone="warn">{words.expired}</Badge>
        ) : (
          formats.dateTime(expiresAt)
        ),
    },
    {
      id: 'actions',
      title: common.actions,
      isTitleHidden: true,
      isEnd: true,
      cell: ({ email, role, ...invitation }) => (
        <ActionMenu
          label={common.actionsFor({ thing: email })}
          actions={[
            { id: 'again', text: words.again, onAction: () => void again.run({ email, role }) },
            {
              id: 'withdraw',
              text: words.withdraw,
              isDanger: true,
              onAction: () => setWithdrawing({ email, role, ...invitation }),
            },
          ]}
        />
      ),
    },
  ];
  return (
    <Card title={words.invitations} isFlush>
      {error && !data ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label={words.invitations}
          columns={columns}
          items={data ?? []}
          isLoading={isFetching}
          empty={<p className={style.none}>{words.noInvitations}</p>}
        />
      )}
      <ConfirmDialog
        title={words.withdrawTitle({ email: withdrawing?.email ?? '' })}
        confirm={words.withdrawDeed}
        isOpen={withdrawing !== null}
        onClose={() => setWithdrawing(null)}
        onConfirm={() => withdraw.attempt(withdrawing!.id)}
      >
        {words.withdrawHint}
      </ConfirmDialog>
    </Card>
  );
}

export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const words = useMemberTexts();
  return (
    <Dialog title={words.inviteTitle} isOpen={isOpen} onClose={onClose} size="small">
      <Invite onClose={onClose} />
    </Dialog>
  );
}

function Invite({ onClose }: { onClose(): void }) {
  const words = useMemberTexts();
  const common = useCommon();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const invite = useInvite({ onDone: onClose, fields: { already_member: '/email' } });
  return (
    <Form mutation={invite} onSubmit={() => void invite.run({ email: email.trim(), role })}>
      <TextField
        label={words.email}
        hint={words.inviteHint}
        name="/email"
        type="email"
        value={email}
        onChange={setEmail}
        maxLength={254}
        isRequired
        autoFocus
      />
      <ChooseRole value={role} onChange={setRole} />
      <Actions>
        <Button onPress={onClose}>{common.cancel}</Button>
        <Button look="primary" type="submit" isPending={invite.isPending}>
          {words.sendInvitation}
        </Button>
      </Actions>
    </Form>
  );
}
