import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { type Problems, useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { useParams } from '../../router/router.tsx';
import { OriginList, PermissionList } from '../../shell/apps.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton, TextLink } from '../../ui/button.tsx';
import { Card, Notice, Screen, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { Blocks } from './blocks.tsx';
import style from './developer.module.css';
import { Islands } from './islands.tsx';
import { useAppId, useOrgId, VersionState } from './parts.tsx';
import { type AppVersion, appKey, versionQuery } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';
import { TryIt } from './try-it.tsx';

/** The screen of an app's version: requested access, blocks, islands and publication. */
export function VersionScreen() {
  const { versionId } = useParams<'versionId'>();
  return <Version key={versionId} id={versionId} />;
}

function Version({ id }: { id: string }) {
  const words = useDeveloperTexts();
  const common = useCommon();
  const formats = useFormats();
  const orgId = useOrgId();
  const appId = useAppId();
  const { data: version } = useSuspenseQuery(versionQuery(orgId, appId, id));
  const [question, setQuestion] = useState<'delete' | 'withdraw' | null>(null);
  const [isDirty, setDirty] = useState(false);
  const { submit, recall, withdraw, restore, remove } = useVersionActions(id);
  const number = formats.number(version.number);
  const { state } = version;
  const isDraft = state === 'draft';
  return (
    <Screen
      title={words.versionOf({ number })}
      subtitle={<VersionState state={state} />}
      back={
        <TextLink href={paths.inOrg(orgId, 'apps', appId)}>
          {common.backTo({ place: words.versions })}
        </TextLink>
      }
      actions={
        <>
          {isDraft && (
            <Button
              look="primary"
              isPending={submit.isPending}
              isDisabled={isDirty}
              onPress={() => void submit.run(undefined)}
            >
              {words.submit}
            </Button>
          )}
          {state === 'submitted' && (
            <Button isPending={recall.isPending} onPress={() => void recall.run(undefined)}>
              {words.recall}
            </Button>
          )}
          {state === 'withdrawn' && (
            <Button isPending={restore.isPending} onPress={() => void restore.run(undefined)}>
              {words.restore}
            </Button>
          )}
          {state === 'rejected' && (
            <LinkButton
              look="primary"
              href={`${paths.inOrg(orgId, 'apps', appId, 'versions', 'new')}?from=${id}`}
            >
              {words.copyVersion}
            </LinkButton>
          )}
          <VersionMenu version={version} onQuestion={setQuestion} />
        </>
      }
    >
      {state === 'rejected' && (
        <Notice tone="bad" title={words.rejected}>
          <p className={style.reason}>{version.rejectionReason}</p>
          <p>{words.rejectedHint}</p>
        </Notice>
      )}
      {isDraft && isDirty && <Notice>{words.unsavedFirst}</Notice>}
      <OtherProblems problems={submit.namedProblems} />
      <TwoColumns
        main={
          <>
            <Blocks version={version} problems={submit.problems} onDirty={setDirty} />
            <Islands version={version} />
          </>
        }
        side={
          <>
            <TryIt version={version} />
            <AccessCards version={version} />
          </>
        }
      />
      <ConfirmDialog
        title={words.deleteDraftTitle({ number })}
        confirm={common.delete}
        isOpen={question === 'delete'}
        onClose={() => setQuestion(null)}
        onConfirm={() => remove.attempt(undefined)}
      >
        {words.deleteDraftHint}
      </ConfirmDialog>
      <ConfirmDialog
        title={words.withdrawTitle({ number })}
        confirm={words.withdrawNow}
        isOpen={question === 'withdraw'}
        onClose={() => setQuestion(null)}
        onConfirm={() => withdraw.attempt(undefined)}
      >
        {words.withdrawHint}
      </ConfirmDialog>
    </Screen>
  );
}

function useVersionActions(id: string) {
  const words = useDeveloperTexts();
  const queries = useQueryClient();
  const orgId = useOrgId();
  const appId = useAppId();
  const invalidates = [appKey(orgId, appId)];
  const params = { path: { orgId, appId, versionId: id } };
  const at = '/api/orgs/{orgId}/apps/{appId}/versions/{versionId}';
  const submit = useMutation(() => api.post(`${at}/submit`, { params }), {
    done: words.submitted,
    invalidates,
  });
  const recall = useMutation(() => api.post(`${at}/recall`, { params }), {
    done: words.recalled,
    invalidates,
  });
  const withdraw = useMutation(() => api.post(`${at}/withdraw`, { params }), {
    done: words.withdrawn,
    invalidates,
  });
  const restore = useMutation(() => api.delete(`${at}/withdraw`, { params }), {
    done: words.restored,
    invalidates,
  });
  const remove = useMutation(() => api.delete(at, { params }), {
    done: words.draftDeleted,
    onDone() {
      navigate(paths.inOrg(orgId, 'apps', appId));
      // The deleted draft itself is left out, because it stays on the screen for a moment and would be read again.
      const versions = [...appKey(orgId, appId), 'versions'];
      void queries.invalidateQueries({ queryKey: [...versions, 'list'] });
      void queries.invalidateQueries({ queryKey: [...versions, 'latest'] });
    },
  });
  return { submit, recall, withdraw, restore, remove };
}

/** The actions on a version that are rarely used or cannot be undone. */
function VersionMenu({
  version,
  onQuestion,
}: {
  version: AppVersion;
  onQuestion(question: 'delete' | 'withdraw'): void;
}) {
  const words = useDeveloperTexts();
  const common = useCommon();
  const formats = useFormats();
  const orgId = useOrgId();
  const appId = useAppId();
  const number = formats.number(version.number);
  const { state } = version;
  return (
    <ActionMenu
      label={common.actionsFor({ thing: words.versionOf({ number }) })}
      actions={[
        {
          id: 'copy',
          text: words.copyVersion,
          href: `${paths.inOrg(orgId, 'apps', appId, 'versions', 'new')}?from=${version.id}`,
        },
        ...(state === 'approved'
          ? [
              {
                id: 'withdraw',
                text: words.withdraw,
                isDanger: true,
                onAction: () => onQuestion('withdraw'),
              },
            ]
          : []),
        ...(state === 'draft'
          ? [
              {
                id: 'delete',
                text: words.deleteDraft,
                isDanger: true,
                onAction: () => onQuestion('delete'),
              },
            ]
          : []),
      ]}
    />
  );
}

/** The access to a store that a version asks for. */
function AccessCards({ version }: { version: AppVersion }) {
  const words = useDeveloperTexts();
  return (
    <>
      <Card title={words.scopes}>
        {version.scopes.length > 0 ? <PermissionList scopes={version.scopes} /> : <p>{words.noScopes}</p>}
      </Card>
      <Card title={words.origins}>
        {version.connectOrigins.length > 0 ? (
          <OriginList origins={version.connectOrigins} />
        ) : (
          <p>{words.noOrigins}</p>
        )}
        <p className={style.muted}>{words.asksAre}</p>
      </Card>
    </>
  );
}

/** Problems of a submission outside the blocks. */
function OtherProblems({ problems }: { problems: Problems }) {
  const words = useDeveloperTexts();
  const others = Object.entries(problems).filter(([pointer]) => !pointer.startsWith('/blocks'));
  if (others.length === 0) return null;
  return (
    <Notice tone="bad" title={words.problems({ count: others.length })}>
      <ul>
        {others.map(([pointer, message]) => (
          <li key={pointer}>{message}</li>
        ))}
      </ul>
    </Notice>
  );
}
