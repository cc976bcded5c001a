import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { isWaybillError } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { LinkButton, TextLink } from '../../ui/button.tsx';
import { Badge, Empty, Notice, Screen } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { toast } from '../../ui/toasts.tsx';
import { Connection } from './connection.tsx';
import { Deliveries } from './deliveries.tsx';
import { Listing } from './listing.tsx';
import { AddressTabs, PagedTable, useAppId, useOrgId, VersionState } from './parts.tsx';
import { appKey, appQuery, orgKey, toPageQuery } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';

/** The screen of an organisation's app. */
export function AppScreen() {
  const words = useDeveloperTexts();
  const common = useCommon();
  const queries = useQueryClient();
  const orgId = useOrgId();
  const appId = useAppId();
  const { data: app } = useSuspenseQuery(appQuery(orgId, appId));
  const [isDeleting, setDeleting] = useState(false);
  const remove = useMutation(
    () => api.delete('/api/orgs/{orgId}/apps/{appId}', { params: { path: { orgId, appId } } }),
    {
      done: common.deleted,
      handles: (error) => isWaybillError(error, 'app_installed'),
      onDone() {
        navigate(paths.inOrg(orgId));
        void queries.invalidateQueries({ queryKey: [...orgKey(orgId), 'apps', 'list'] });
      },
    },
  );
  return (
    <Screen
      title={app.name}
      subtitle={
        <Badge tone={app.isListed ? 'good' : 'neutral'}>{app.isListed ? words.listed : words.unlisted}</Badge>
      }
      back={<TextLink href={paths.inOrg(orgId)}>{common.backTo({ place: words.apps })}</TextLink>}
      actions={
        <>
          <LinkButton look="primary" href={paths.inOrg(orgId, 'apps', appId, 'versions', 'new')}>
            {words.newVersion}
          </LinkButton>
          <ActionMenu
            label={common.actionsFor({ thing: app.name })}
            actions={[
              { id: 'delete', text: words.deleteApp, isDanger: true, onAction: () => setDeleting(true) },
            ]}
          />
        </>
      }
    >
      {app.suspendedAt && <Notice tone="bad">{words.isSuspended}</Notice>}
      <AddressTabs
        label={words.parts}
        tabs={[
          { id: 'versions', title: words.versions, panel: <Versions /> },
          { id: 'listing', title: words.listing, panel: <Listing app={app} /> },
          { id: 'connection', title: words.connection, panel: <Connection app={app} /> },
          { id: 'deliveries', title: words.deliveries, panel: <Deliveries /> },
          { id: 'installs', title: words.installs, panel: <Installs /> },
        ]}
      />
      <ConfirmDialog
        title={words.deleteAppTitle({ name: app.name })}
        confirm={common.delete}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={() =>
          remove.attempt(undefined).catch((error) => {
            if (isWaybillError(error, 'app_installed')) toast(words.appInstalled, 'bad');
            throw error;
          })
        }
      >
        {words.deleteAppHint}
      </ConfirmDialog>
    </Screen>
  );
}

function Versions() {
  const words = useDeveloperTexts();
  const common = useCommon();
  const formats = useFormats();
  const orgId = useOrgId();
  const appId = useAppId();
  return (
    <PagedTable
      title={words.versions}
      queryKey={[...appKey(orgId, appId), 'versions', 'list']}
      read={async (search, signal) => {
        const { versions, ...rest } = await api.get('/api/orgs/{orgId}/apps/{appId}/versions', {
          params: { path: { orgId, appId }, query: toPageQuery(search) },
          signal,
        });
        return { items: versions, ...rest };
      }}
      getHref={({ id }) => paths.inOrg(orgId, 'apps', appId, 'versions', id)}
      columns={[
        {
          id: 'number',
          title: words.versions,
          cell: ({ number }) => words.versionOf({ number: formats.number(number) }),
        },
        { id: 'state', title: common.status, cell: ({ state }) => <VersionState state={state} /> },
        {
          id: 'submitted',
          title: words.submittedAt,
          isWide: true,
          cell: ({ submittedAt }) => submittedAt && formats.date(submittedAt),
        },
        {
          id: 'updated',
          title: common.updated,
          isEnd: true,
          isWide: true,
          cell: ({ updatedAt }) => formats.dateTime(updatedAt),
        },
      ]}
      empty={<Empty title={words.versionsEmpty}>{words.versionsEmptyHint}</Empty>}
    />
  );
}

function Installs() {
  const words = useDeveloperTexts();
  const common = useCommon();
  const formats = useFormats();
  const orgId = useOrgId();
  const appId = useAppId();
  return (
    <PagedTable
      title={words.installs}
      queryKey={[...appKey(orgId, appId), 'installs']}
      read={async (search, signal) => {
        const { installs, ...rest } = await api.get('/api/orgs/{orgId}/apps/{appId}/installs', {
          params: { path: { orgId, appId }, query: toPageQuery(search) },
          signal,
        });
        return { items: installs, ...rest };
      }}
      columns={[
        { id: 'store', title: words.store, cell: ({ storeId }) => <code>{storeId}</code> },
        { id: 'state', title: common.status, cell: ({ state }) => words.installState[state] },
        {
          id: 'version',
          title: words.versions,
          cell: ({ versionNumber }) => words.versionOf({ number: formats.number(versionNumber) }),
        },
        {
          id: 'installed',
          title: words.installedAt,
          isEnd: true,
          isWide: true,
          cell: ({ installedAt }) => formats.date(installedAt),
        },
      ]}
      empty={<Empty title={words.installsEmpty}>{words.installsEmptyHint}</Empty>}
    />
  );
}
