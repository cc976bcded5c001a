import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { OriginList, PermissionList } from '../../shell/apps.tsx';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton, TextLink } from '../../ui/button.tsx';
import { Badge, Card, Facts, Notice, Row, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { About } from './about.tsx';
import { Activity } from './activity.tsx';
import style from './apps.module.css';
import { stateTones } from './installed-apps.tsx';
import {
  type AppProfile,
  type Install,
  installQuery,
  installsKey,
  lossesQuery,
  type StoreVersion,
  usesQuery,
  versionsQuery,
} from './queries.ts';
import { useAppsTexts } from './texts.ts';
import { Uses } from './uses.tsx';

/** A change that the user is asked to confirm. */
type PendingAction = 'disable' | 'uninstall';

/** The screen of an installed app. */
export function InstalledApp({ install, profile }: { install: Install; profile: AppProfile | null }) {
  const words = useAppsTexts();
  const common = useCommon();
  const store = useStore();
  const [pendingAction, setPendingAction] = useState<PendingAction | null>(null);
  const { appId, appName, state } = install;
  const { data: versions } = useQuery(versionsQuery(store.id, appId));
  const pendingVersion = versions?.find(({ isWaiting }) => isWaiting);
  return (
    <Screen
      title={appName}
      subtitle={
        <Row>
          {profile && words.by({ org: profile.orgName })}
          <Badge tone={stateTones[state]}>{words.state[state]}</Badge>
        </Row>
      }
      back={
        <TextLink href={paths.inStore(store.id, 'apps')}>{common.backTo({ place: words.title })}</TextLink>
      }
      actions={<InstalledAppActions install={install} profile={profile} onPendingAction={setPendingAction} />}
    >
      {state === 'disabled' && <Notice tone="warn">{words.isDisabled}</Notice>}
      {state === 'suspended' && <Notice tone="bad">{words.isSuspended}</Notice>}
      {install.isDevelopment && <Notice tone="warn">{words.isDevelopment}</Notice>}
      <TwoColumns
        main={
          <>
            {pendingVersion && <PendingVersion install={install} version={pendingVersion} />}
            <UsesCard appId={appId} />
            {store.manages && <Activity appId={appId} />}
            <VersionsCard install={install} />
          </>
        }
        side={
          <>
            <GrantsCard install={install} />
            {profile && <About profile={profile} />}
          </>
        }
      />
      <ConfirmRemoval
        install={install}
        pendingAction={pendingAction}
        onClose={() => setPendingAction(null)}
      />
    </Screen>
  );
}

function InstalledAppActions({
  install: { appId, appName, state },
  profile,
  onPendingAction,
}: {
  install: Install;
  profile: AppProfile | null;
  onPendingAction(action: PendingAction): void;
}) {
  const words = useAppsTexts();
  const common = useCommon();
  const store = useStore();
  const enable = useMutation(
    () =>
      api.delete('/api/stores/{storeId}/apps/{appId}/disable', {
        params: { path: { storeId: store.id, appId } },
      }),
    { done: words.enabled, invalidates: [installsKey(store.id), ['apps', appId]] },
  );
  return (
    <>
      {profile?.installUrl && state === 'installed' && (
        <LinkButton href={profile.installUrl} target="_blank" rel="noopener noreferrer">
          {words.open({ app: appName })}
        </LinkButton>
      )}
      {store.manages && state === 'disabled' && (
        <Button look="primary" isPending={enable.isPending} onPress={() => void enable.run(undefined)}>
          {words.enable}
        </Button>
      )}
      {store.manages && (
        <ActionMenu
          label={common.actionsFor({ thing: appName })}
          actions={[
            ...(state === 'installed'
              ? [{ id: 'disable', text: words.disable, onAction: () => onPendingAction('disable') }]
              : []),
            {
              id: 'uninstall',
              text: words.uninstall,
              isDanger: true,
              onAction: () => onPendingAction('uninstall'),
            },
          ]}
        />
      )}
    </>
  );
}

/** The places where the app's blocks are used. */
function UsesCard({ appId }: { appId: string }) {
  const words = useAppsTexts();
  const store = useStore();
  const { data, error, refetch } = useQuery(usesQuery(store.id, appId));
  return (
    <Card title={words.uses}>
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : data.length === 0 ? (
        <p className={style.muted}>{words.noUses}</p>
      ) : (
        <Uses blocks={data} />
      )}
    </Card>
  );
}

function VersionsCard({ install }: { install: Install }) {
  const words = useAppsTexts();
  const store = useStore();
  const { data, error, refetch } = useQuery(versionsQuery(store.id, install.appId));
  return (
    <Card title={words.versions}>
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : (
        <Versions install={install} versions={data} />
      )}
    </Card>
  );
}

/** The permissions and hosts that the store has granted, and facts about the installation. */
function GrantsCard({ install }: { install: Install }) {
  const words = useAppsTexts();
  const common = useCommon();
  const formats = useFormats();
  const { appId, grantedScopes, connectOrigins } = install;
  return (
    <Card title={words.grants}>
      {grantedScopes.length > 0 ? (
        <PermissionList scopes={grantedScopes} />
      ) : (
        <p className={style.muted}>{words.grantsNothing}</p>
      )}
      {connectOrigins.length > 0 && (
        <>
          <p>{words.connectsNow}</p>
          <OriginList origins={connectOrigins} />
        </>
      )}
      <Facts
        facts={[
          [words.version, formats.number(install.versionNumber)],
          [words.installed, formats.date(install.createdAt)],
          [common.updated, formats.date(install.updatedAt)],
          ['ID', <code key="id">{appId}</code>],
        ]}
      />
    </Card>
  );
}

/** Asks before the app is disabled or uninstalled, and does it. */
function ConfirmRemoval({
  install: { appId, appName },
  pendingAction,
  onClose,
}: {
  install: Install;
  pendingAction: PendingAction | null;
  onClose(): void;
}) {
  const words = useAppsTexts();
  const store = useStore();
  const queries = useQueryClient();
  const params = { path: { storeId: store.id, appId } };
  const disable = useMutation(() => api.post('/api/stores/{storeId}/apps/{appId}/disable', { params }), {
    done: words.disabled,
    invalidates: [installsKey(store.id), ['apps', appId]],
  });
  const uninstall = useMutation(() => api.delete('/api/stores/{storeId}/apps/{appId}', { params }), {
    done: words.uninstalled({ app: appName }),
    // Queries about an installed app are not read again, because they would fail now.
    invalidates: [
      [...installsKey(store.id), 'list'],
      installQuery(store.id, appId).queryKey,
      ['apps', appId],
    ],
    onDone: () => void queries.invalidateQueries({ queryKey: installsKey(store.id), refetchType: 'none' }),
  });
  return (
    <>
      <ConfirmDialog
        title={words.disableTitle({ app: appName })}
        confirm={words.disableNow}
        isOpen={pendingAction === 'disable'}
        onClose={onClose}
        onConfirm={() => disable.attempt(undefined)}
      >
        <p>{words.disableHint}</p>
        <BlocksLostOnRemoval storeId={store.id} appId={appId} />
      </ConfirmDialog>
      <ConfirmDialog
        title={words.uninstallTitle({ app: appName })}
        confirm={words.uninstallNow}
        isOpen={pendingAction === 'uninstall'}
        onClose={onClose}
        onConfirm={() => uninstall.attempt(undefined)}
      >
        <p>{words.uninstallHint}</p>
        <BlocksLostOnRemoval storeId={store.id} appId={appId} />
      </ConfirmDialog>
    </>
  );
}

/** The blocks that would disappear with the app. */
function BlocksLostOnRemoval({ storeId, appId }: { storeId: string; appId: string }) {
  const words = useAppsTexts();
  const { data, error, refetch } = useQuery(usesQuery(storeId, appId));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton />;
  if (data.length === 0) return <p>{words.noUses}</p>;
  return (
    <>
      <p>{words.wouldEnd}</p>
      <Uses blocks={data} />
    </>
  );
}

/** The blocks that a change of version would remove from pages. */
function Losses({ appId, versionId }: { appId: string; versionId: string | null }) {
  const words = useAppsTexts();
  const store = useStore();
  const { data, error, refetch } = useQuery(lossesQuery(store.id, appId, versionId));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton />;
  if (data.length === 0) return <p>{words.losesNothing}</p>;
  return (
    <Notice tone="warn" title={words.losesBlocks}>
      <Uses blocks={data} />
    </Notice>
  );
}

/** The permissions and hosts that a version needs beyond the granted ones. */
function MoreAccess({ install, version }: { install: Install; version: StoreVersion }) {
  const words = useAppsTexts();
  const scopes = version.scopes.filter((scope) => !install.grantedScopes.includes(scope));
  const origins = version.connectOrigins.filter((origin) => !install.connectOrigins.includes(origin));
  return (
    <>
      {scopes.length > 0 && (
        <div>
          <p>{words.asksMore}</p>
          <PermissionList scopes={scopes} />
        </div>
      )}
      {origins.length > 0 && (
        <div>
          <p>{words.connectsMore}</p>
          <OriginList origins={origins} />
        </div>
      )}
    </>
  );
}

/** A version that is not used before a member consents. */
function PendingVersion({ install, version }: { install: Install; version: StoreVersion }) {
  const words = useAppsTexts();
  const formats = useFormats();
  const store = useStore();
  const { appId } = install;
  const number = formats.number(version.number);
  const consent = useMutation(
    () =>
      api.post('/api/stores/{storeId}/apps/{appId}/consent', {
        params: { path: { storeId: store.id, appId } },
        body: { scopes: version.scopes, connectOrigins: version.connectOrigins },
      }),
    { done: words.taken({ number }), invalidates: [installsKey(store.id)] },
  );
  return (
    <Card title={words.waiting({ number })}>
      {version.needsConsent && <p>{words.waitingHint}</p>}
      <MoreAccess install={install} version={version} />
      <Losses appId={appId} versionId={null} />
      {store.manages ? (
        <Row>
          <Button look="primary" isPending={consent.isPending} onPress={() => void consent.run(undefined)}>
            {words.take({ number })}
          </Button>
        </Row>
      ) : (
        <Notice>{words.adminsOnly}</Notice>
      )}
    </Card>
  );
}

function Versions({ install, versions }: { install: Install; versions: readonly StoreVersion[] }) {
  const words = useAppsTexts();
  const formats = useFormats();
  const store = useStore();
  const { appId } = install;
  const [target, setTarget] = useState<StoreVersion | null>(null);
  const rollback = useMutation(
    ({ id, scopes, connectOrigins }: StoreVersion) =>
      api.post('/api/stores/{storeId}/apps/{appId}/rollback', {
        params: { path: { storeId: store.id, appId } },
        body: { versionId: id, scopes, connectOrigins },
      }),
    {
      done: ({ install }) => words.taken({ number: formats.number(install.versionNumber) }),
      invalidates: [installsKey(store.id)],
    },
  );
  return (
    <>
      <ul className={style.versions}>
        {versions.map((version) => (
          <li key={version.id}>
            <span className={style.grow}>
              <strong>{words.versionOf({ number: version.number })}</strong>{' '}
              <span className={style.muted}>
                {version.approvedAt && `${words.approved}: ${formats.date(version.approvedAt)}`}
              </span>
            </span>
            {version.isInstalled && <Badge tone="good">{words.current}</Badge>}
            {version.isWaiting && <Badge tone="accent">{words.waits}</Badge>}
            {version.needsConsent && !version.isWaiting && <Badge tone="warn">{words.asksForMore}</Badge>}
            {store.manages && version.state === 'approved' && version.number < install.versionNumber && (
              <Button
                size="small"
                aria-label={words.rollbackTo({ number: version.number })}
                onPress={() => setTarget(version)}
              >
                {words.rollback}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {target && (
        <ConfirmDialog
          title={words.rollbackTitle({ number: target.number })}
          confirm={words.rollbackTo({ number: target.number })}
          isOpen
          onClose={() => setTarget(null)}
          onConfirm={() => rollback.attempt(target)}
        >
          <p>{words.rollbackHint}</p>
          <MoreAccess install={install} version={target} />
          <Losses appId={appId} versionId={target.id} />
        </ConfirmDialog>
      )}
    </>
  );
}
