import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { isWaybillError } from '@waybill/sdk';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api/client.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Empty, Screen, Skeleton } from '../../ui/layout.tsx';
import { ActionMenu, Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { toast } from '../../ui/toasts.tsx';
import { Members } from './members.tsx';
import { AddressTabs, PagedTable, SecretDialog, splitLines, useOrgId } from './parts.tsx';
import { orgKey, orgQuery, orgsKey, toPageQuery } from './queries.ts';
import { Stores } from './stores.tsx';
import { useDeveloperTexts } from './texts.ts';

const OrgAudit = lazy(() => import('./audit.tsx').then(({ OrgAudit }) => ({ default: OrgAudit })));

/** The screen of an organisation: apps, development stores and members. */
export function OrgScreen() {
  const words = useDeveloperTexts();
  const common = useCommon();
  const queries = useQueryClient();
  const orgId = useOrgId();
  const { data: org } = useSuspenseQuery(orgQuery(orgId));
  const [isDeleting, setDeleting] = useState(false);
  const remove = useMutation(() => api.delete('/api/orgs/{orgId}', { params: { path: { orgId } } }), {
    done: common.deleted,
    onDone() {
      navigate(paths.orgs);
      void queries.invalidateQueries({ queryKey: [...orgsKey, 'list'] });
    },
    handles: (error) => isWaybillError(error, 'org_not_empty'),
  });
  return (
    <Screen
      title={org.name}
      subtitle={words.roles[org.role]}
      back={<TextLink href={paths.orgs}>{common.backTo({ place: words.orgs })}</TextLink>}
      actions={
        org.role === 'owner' && (
          <ActionMenu
            label={common.actionsFor({ thing: org.name })}
            actions={[
              { id: 'delete', text: words.deleteOrg, isDanger: true, onAction: () => setDeleting(true) },
            ]}
          />
        )
      }
    >
      <AddressTabs
        label={words.parts}
        tabs={[
          { id: 'apps', title: words.apps, panel: <Apps /> },
          { id: 'stores', title: words.stores, panel: <Stores org={org} /> },
          { id: 'members', title: words.members, panel: <Members org={org} /> },
          ...(org.role === 'owner'
            ? [
                {
                  id: 'audit' as const,
                  title: common.audit,
                  panel: (
                    <Suspense fallback={<Skeleton lines={8} />}>
                      <OrgAudit orgId={orgId} />
                    </Suspense>
                  ),
                },
              ]
            : []),
        ]}
      />
      <ConfirmDialog
        title={words.deleteOrgTitle({ name: org.name })}
        confirm={common.delete}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={() =>
          remove.attempt(undefined).catch((error) => {
            if (isWaybillError(error, 'org_not_empty')) toast(words.orgNotEmpty, 'bad');
            throw error;
          })
        }
      >
        {words.deleteOrgHint}
      </ConfirmDialog>
    </Screen>
  );
}

function Apps() {
  const words = useDeveloperTexts();
  const common = useCommon();
  const formats = useFormats();
  const orgId = useOrgId();
  const [isNew, setNew] = useState(false);
  return (
    <>
      <PagedTable
        title={words.apps}
        actions={
          <Button look="primary" onPress={() => setNew(true)}>
            {words.newApp}
          </Button>
        }
        queryKey={[...orgKey(orgId), 'apps', 'list']}
        read={async (search, signal) => {
          const { apps, ...rest } = await api.get('/api/orgs/{orgId}/apps', {
            params: { path: { orgId }, query: toPageQuery(search) },
            signal,
          });
          return { items: apps, ...rest };
        }}
        getHref={({ id }) => paths.inOrg(orgId, 'apps', id)}
        columns={[
          { id: 'name', title: common.name, cell: ({ name }) => name },
          {
            id: 'listed',
            title: common.status,
            cell: ({ isListed, suspendedAt }) =>
              suspendedAt ? (
                <Badge tone="bad">{words.suspended}</Badge>
              ) : (
                <Badge tone={isListed ? 'good' : 'neutral'}>{isListed ? words.listed : words.unlisted}</Badge>
              ),
          },
          {
            id: 'created',
            title: common.created,
            isEnd: true,
            isWide: true,
            cell: ({ createdAt }) => formats.date(createdAt),
          },
        ]}
        empty={<Empty title={words.appsEmpty}>{words.appsEmptyHint}</Empty>}
      />
      {isNew && <NewApp onClose={() => setNew(false)} />}
    </>
  );
}

function NewApp({ onClose }: { onClose(): void }) {
  const words = useDeveloperTexts();
  const common = useCommon();
  const orgId = useOrgId();
  const [name, setName] = useState('');
  const [uris, setUris] = useState('');
  const [made, setMade] = useState<{ appId: string; secret: string } | null>(null);
  const create = useMutation(
    () =>
      api.post('/api/orgs/{orgId}/apps', {
        params: { path: { orgId } },
        body: { name, redirectUris: splitLines(uris) },
      }),
    {
      done: words.appCreated,
      invalidates: [orgKey(orgId)],
      onDone: ({ app, clientSecret }) => setMade({ appId: app.id, secret: clientSecret }),
    },
  );
  if (made)
    return (
      <SecretDialog
        title={words.clientSecret}
        secret={made.secret}
        onClose={() => navigate(paths.inOrg(orgId, 'apps', made.appId))}
      />
    );
  return (
    <Dialog title={words.newApp} isOpen onClose={onClose}>
      <Form mutation={create} onSubmit={() => void create.run(undefined)}>
        <TextField
          label={common.name}
          name="/name"
          value={name}
          onChange={setName}
          isRequired
          autoFocus
          maxLength={200}
        />
        <TextField
          label={words.redirectUris}
          hint={words.redirectUrisHint}
          name="/redirectUris"
          rows={3}
          value={uris}
          onChange={setUris}
          isCode
        />
        <Actions>
          <Button look="primary" type="submit" isPending={create.isPending}>
            {common.create}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
