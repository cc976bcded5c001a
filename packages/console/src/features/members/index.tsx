import { useQueryClient } from '@tanstack/react-query';
import type { Role } from '@waybill/contracts/permissions';
import { isWaybillError } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { type ListSearch, useList } from '../../api/list.ts';
import { meQuery, storeQuery, useMe, useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { useSearch } from '../../router/router.tsx';
import { ResourceList } from '../../shell/resource-list.tsx';
import { explain, useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Notice, Screen } from '../../ui/layout.tsx';
import { ActionMenu, Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import { ChooseRole } from './choose-role.tsx';
import { Invitations, InviteDialog } from './invitations.tsx';
import style from './members.module.css';
import { type Member, membersKey, readMembers } from './queries.ts';
import { useMemberTexts } from './texts.ts';

interface MemberDialog {
  what: 'role' | 'remove';
  member: Member;
}

export function Members() {
  const words = useMemberTexts();
  const common = useCommon();
  const store = useStore();
  const me = useMe();
  const search = useSearch<ListSearch>();
  const list = useList(membersKey(store.id), search, (given, signal) => readMembers(store.id, given, signal));
  const [asked, setAsked] = useState<MemberDialog | null>(null);
  const [isInviting, setInviting] = useState(false);
  const members = list.data?.members ?? [];
  const columns: ColumnOf<Member & { id: string }>[] = [
    {
      id: 'name',
      title: common.name,
      isHeader: true,
      cell: ({ name, email, userId }) => (
        <span className={style.person}>
          <span>
            {name} {userId === me.user.id && <Badge tone="accent">{words.you}</Badge>}
          </span>
          <small>{email}</small>
        </span>
      ),
    },
    { id: 'role', title: words.role, cell: ({ role }) => common.roles[role] },
    {
      id: 'actions',
      title: common.actions,
      isTitleHidden: true,
      isEnd: true,
      cell: (member) => {
        const isSelf = member.userId === me.user.id;
        return (
          <ActionMenu
            label={common.actionsFor({ thing: member.name })}
            actions={[
              ...(store.manages
                ? [{ id: 'role', text: words.changeRole, onAction: () => setAsked({ what: 'role', member }) }]
                : []),
              ...(store.manages || isSelf
                ? [
                    {
                      id: 'remove',
                      text: isSelf ? words.leave : words.remove,
                      isDanger: true,
                      onAction: () => setAsked({ what: 'remove', member }),
                    },
                  ]
                : []),
            ]}
          />
        );
      },
    },
  ];
  return (
    <Screen
      title={words.title}
      subtitle={words.subtitle}
      actions={
        store.manages && (
          <Button look="primary" onPress={() => setInviting(true)}>
            {words.invite}
          </Button>
        )
      }
    >
      <ResourceList
        label={words.title}
        list={list}
        items={members.map((member) => ({ ...member, id: member.userId }))}
        columns={columns}
        empty={null}
        summary={words.count}
      />
      {store.manages && <Invitations />}
      <InviteDialog isOpen={isInviting} onClose={() => setInviting(false)} />
      <Dialog
        title={words.changeRoleTitle({ name: asked?.member.name ?? '' })}
        isOpen={asked?.what === 'role'}
        onClose={() => setAsked(null)}
        size="small"
      >
        {asked && <ChangeRole member={asked.member} onClose={() => setAsked(null)} />}
      </Dialog>
      <Removal member={asked?.what === 'remove' ? asked.member : null} onClose={() => setAsked(null)} />
    </Screen>
  );
}

/** Returns a function that reads the user's own rights again after they may have changed. */
function useOwnRightsChanged() {
  const queries = useQueryClient();
  const store = useStore();
  return () =>
    Promise.all([queries.invalidateQueries(meQuery), queries.invalidateQueries(storeQuery(store.id))]);
}

function ChangeRole({ member: { userId, role: present }, onClose }: { member: Member; onClose(): void }) {
  const words = useMemberTexts();
  const common = useCommon();
  const store = useStore();
  const me = useMe();
  const ownRightsChanged = useOwnRightsChanged();
  const [role, setRole] = useState<Role>(present);
  const change = useMutation(
    () =>
      api.patch('/api/stores/{storeId}/members/{userId}', {
        params: { path: { storeId: store.id, userId } },
        body: { role },
      }),
    {
      done: words.changed,
      invalidates: [membersKey(store.id)],
      handles: (error) => isWaybillError(error, 'last_owner'),
      onDone() {
        onClose();
        if (userId === me.user.id) void ownRightsChanged();
      },
    },
  );
  return (
    <Form mutation={change} onSubmit={() => void change.run(undefined)}>
      {isWaybillError(change.error, 'last_owner') && <Notice tone="bad">{words.lastOwner}</Notice>}
      {userId === me.user.id && <Notice tone="warn">{words.ownRoleHint}</Notice>}
      <ChooseRole value={role} onChange={setRole} />
      <Actions>
        <Button onPress={onClose}>{common.cancel}</Button>
        <Button look="primary" type="submit" isPending={change.isPending} isDisabled={role === present}>
          {common.save}
        </Button>
      </Actions>
    </Form>
  );
}

/** Removes a member, or lets the current user leave. */
function Removal({ member, onClose }: { member: Member | null; onClose(): void }) {
  const words = useMemberTexts();
  const common = useCommon();
  const store = useStore();
  const me = useMe();
  const queries = useQueryClient();
  const isSelf = member?.userId === me.user.id;
  const remove = useMutation(
    (userId: string) =>
      api.delete('/api/stores/{storeId}/members/{userId}', {
        params: { path: { storeId: store.id, userId } },
      }),
    {
      done: isSelf ? words.left : words.removed,
      invalidates: isSelf ? [] : [membersKey(store.id)],
      handles: (error) => isWaybillError(error, 'last_owner'),
      async onDone() {
        if (!isSelf) return;
        await queries.invalidateQueries(meQuery);
        navigate(paths.start);
      },
    },
  );
  return (
    <ConfirmDialog
      title={isSelf ? words.leaveTitle : words.removeTitle({ name: member?.name ?? '' })}
      confirm={isSelf ? words.leaveDeed : words.removeDeed}
      isOpen={member !== null}
      onClose={() => {
        remove.reset();
        onClose();
      }}
      onConfirm={() => remove.attempt(member!.userId)}
    >
      {isWaybillError(remove.error, 'last_owner') && (
        <Notice tone="bad">{isSelf ? explain(remove.error, common) : words.lastOwner}</Notice>
      )}
      {isSelf ? words.leaveHint : words.removeHint}
    </ConfirmDialog>
  );
}
