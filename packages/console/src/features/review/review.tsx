import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { Permission } from '@waybill/contracts/permissions';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { useParams } from '../../router/router.tsx';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { usePermissionWords } from '../../texts/permissions.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, Facts, Notice, Row, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { Blocks } from './blocks.tsx';
import { moduleQuery, type ReviewedVersion, reviewKey, reviewQuery } from './queries.ts';
import style from './review.module.css';
import { useReviewTexts } from './texts.ts';

/** The screen of a version under review. */
export function ReviewScreen() {
  const { versionId } = useParams<'versionId'>();
  const { data: version } = useSuspenseQuery(reviewQuery(versionId));
  return <Review key={versionId} version={version} />;
}

/** A decision that the reviewer is asked to confirm. */
type PendingAction = 'approve' | 'reject' | 'suspend';

function Review({ version }: { version: ReviewedVersion }) {
  const words = useReviewTexts();
  const common = useCommon();
  const [pendingAction, setPendingAction] = useState<PendingAction | null>(null);
  const { app, org, changes, state } = version;
  const title = words.titleOf({ app: app.name, number: version.number });
  return (
    <Screen
      title={title}
      subtitle={
        <Row>
          {org.name}
          <Badge>{words.state[state]}</Badge>
        </Row>
      }
      back={<TextLink href={paths.review}>{common.backTo({ place: words.title })}</TextLink>}
      actions={<ReviewActions version={version} onPendingAction={setPendingAction} />}
    >
      {app.suspendedAt && <Notice tone="bad">{words.isSuspended}</Notice>}
      {state === 'rejected' && (
        <Notice tone="warn" title={words.wasRejected}>
          <p className={style.text}>{version.rejectionReason}</p>
        </Notice>
      )}
      <Notice>{changes.since ? words.since({ number: changes.since.number }) : words.first}</Notice>
      <TwoColumns
        main={
          <>
            <Blocks version={version} />
            <Islands version={version} />
          </>
        }
        side={
          <>
            <AccessCards version={version} />
            <OrgCard version={version} />
          </>
        }
      />
      <ReviewDialogs
        version={version}
        title={title}
        pendingAction={pendingAction}
        onClose={() => setPendingAction(null)}
      />
    </Screen>
  );
}

function ReviewActions({
  version: { app, state },
  onPendingAction,
}: {
  version: ReviewedVersion;
  onPendingAction(action: PendingAction): void;
}) {
  const words = useReviewTexts();
  const common = useCommon();
  const restore = useMutation(
    () => api.delete('/api/review/apps/{appId}/suspend', { params: { path: { appId: app.id } } }),
    { done: words.restored, invalidates: [reviewKey] },
  );
  return (
    <>
      {state === 'submitted' && (
        <>
          <Button onPress={() => onPendingAction('reject')}>{words.reject}</Button>
          <Button look="primary" onPress={() => onPendingAction('approve')}>
            {words.approve}
          </Button>
        </>
      )}
      <ActionMenu
        label={common.actionsFor({ thing: app.name })}
        actions={
          app.suspendedAt
            ? [{ id: 'restore', text: words.restore, onAction: () => void restore.run(undefined) }]
            : [
                {
                  id: 'suspend',
                  text: words.suspend,
                  isDanger: true,
                  onAction: () => onPendingAction('suspend'),
                },
              ]
        }
      />
    </>
  );
}

/** The permissions and hosts that the version requests. */
function AccessCards({ version }: { version: ReviewedVersion }) {
  const words = useReviewTexts();
  const { describePermission } = usePermissionWords();
  const { changes } = version;
  return (
    <>
      <Card title={words.scopes}>
        <RequestedAccess
          all={version.scopes}
          changes={changes.scopes}
          none={words.noScopes}
          show={(scope) => describePermission(scope as Permission)}
        />
      </Card>
      <Card title={words.origins}>
        <RequestedAccess
          all={version.connectOrigins}
          changes={changes.connectOrigins}
          none={words.noOrigins}
          show={(origin) => <code>{origin}</code>}
        />
      </Card>
    </>
  );
}

/** Facts about the organisation that submitted the version. */
function OrgCard({ version }: { version: ReviewedVersion }) {
  const words = useReviewTexts();
  const common = useCommon();
  const formats = useFormats();
  const { org } = version;
  return (
    <Card title={words.org}>
      <Facts
        facts={[
          [common.name, org.name],
          [words.orgSince, formats.date(org.createdAt)],
          [words.members, formats.number(org.members)],
          [words.apps, formats.number(org.apps)],
          [words.record, words.recordOf({ approved: org.approvals, rejected: org.rejections })],
          [words.submitted, version.submittedAt && formats.dateTime(version.submittedAt)],
        ]}
      />
    </Card>
  );
}

/** RequestedAccess before a version is approved or rejected, or its app suspended, and does it. */
function ReviewDialogs({
  version: { id: versionId, app },
  title,
  pendingAction,
  onClose,
}: {
  version: ReviewedVersion;
  title: string;
  pendingAction: PendingAction | null;
  onClose(): void;
}) {
  const words = useReviewTexts();
  const invalidates = [reviewKey];
  const approve = useMutation(
    () => api.post('/api/review/versions/{versionId}/approve', { params: { path: { versionId } } }),
    { done: words.approved, invalidates },
  );
  const suspend = useMutation(
    () => api.post('/api/review/apps/{appId}/suspend', { params: { path: { appId: app.id } } }),
    { done: words.suspended, invalidates },
  );
  return (
    <>
      <ConfirmDialog
        title={words.approveTitle({ title })}
        confirm={words.approve}
        isDanger={false}
        isOpen={pendingAction === 'approve'}
        onClose={onClose}
        onConfirm={() => approve.attempt(undefined)}
      >
        {words.approveHint}
      </ConfirmDialog>
      <ConfirmDialog
        title={words.suspendTitle({ app: app.name })}
        confirm={words.suspendNow}
        isOpen={pendingAction === 'suspend'}
        onClose={onClose}
        onConfirm={() => suspend.attempt(undefined)}
      >
        {words.suspendHint}
      </ConfirmDialog>
      <Reject
        versionId={versionId}
        title={words.rejectTitle({ title })}
        isOpen={pendingAction === 'reject'}
        onClose={onClose}
      />
    </>
  );
}

/** The access that a version asks for, with new parts marked. */
function RequestedAccess({
  all,
  changes,
  none,
  show,
}: {
  all: readonly string[];
  changes: { added: readonly string[]; removed: readonly string[] };
  none: string;
  show(one: string): ReactNode;
}) {
  const words = useReviewTexts();
  if (all.length === 0 && changes.removed.length === 0) return <p className={style.muted}>{none}</p>;
  return (
    <ul className={style.asks}>
      {all.map((one) => (
        <li key={one}>
          {show(one)} {changes.added.includes(one) && <Badge tone="accent">{words.added}</Badge>}
        </li>
      ))}
      {changes.removed.map((one) => (
        <li key={one}>
          <s>{show(one)}</s> <Badge>{words.removed}</Badge>
        </li>
      ))}
    </ul>
  );
}

/** Rejects a version. The typed reason is kept if the dialog is closed. */
function Reject({
  versionId,
  title,
  isOpen,
  onClose,
}: {
  versionId: string;
  title: string;
  isOpen: boolean;
  onClose(): void;
}) {
  const words = useReviewTexts();
  const [reason, setReason] = useState('');
  const reject = useMutation(
    () =>
      api.post('/api/review/versions/{versionId}/reject', {
        params: { path: { versionId } },
        body: { reason },
      }),
    { done: words.rejected, invalidates: [reviewKey], onDone: onClose },
  );
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <Form mutation={reject} onSubmit={() => void reject.run(undefined)}>
        <TextField
          label={words.reason}
          hint={words.reasonHint}
          name="/reason"
          rows={6}
          value={reason}
          onChange={setReason}
          isRequired
          autoFocus
        />
        <Actions>
          <Button look="danger" type="submit" isPending={reject.isPending}>
            {words.rejectNow}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

function Islands({ version }: { version: ReviewedVersion }) {
  const words = useReviewTexts();
  const formats = useFormats();
  const [shown, setShown] = useState<string | null>(null);
  const { added, removed, changed } = version.changes.islands;
  return (
    <Card title={words.islands}>
      {version.islands.length === 0 && removed.length === 0 && (
        <p className={style.muted}>{words.noIslands}</p>
      )}
      <ul className={style.asks}>
        {version.islands.map(({ name, moduleSha256, sizeBytes }) => (
          <li key={name}>
            <strong>{name}</strong>
            {added.includes(name) && <Badge tone="accent">{words.added}</Badge>}
            {changed.includes(name) && <Badge tone="warn">{words.changed}</Badge>}
            {moduleSha256 ? (
              <>
                <span className={style.muted}>{formats.size(sizeBytes ?? 0)}</span>
                <Button
                  size="small"
                  aria-label={`${words.showModule}: ${name}`}
                  onPress={() => setShown(name)}
                >
                  {words.showModule}
                </Button>
              </>
            ) : (
              <span className={style.muted}>{words.noModule}</span>
            )}
          </li>
        ))}
        {removed.map((name) => (
          <li key={name}>
            <s>{name}</s> <Badge>{words.removed}</Badge>
          </li>
        ))}
      </ul>
      <Dialog
        title={words.moduleOf({ name: shown ?? '' })}
        isOpen={shown !== null}
        onClose={() => setShown(null)}
        size="large"
      >
        {shown !== null && <Module versionId={version.id} name={shown} />}
      </Dialog>
    </Card>
  );
}

function Module({ versionId, name }: { versionId: string; name: string }) {
  const { data, error, refetch } = useQuery(moduleQuery(versionId, name));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={8} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
    <pre className={`${style.value} ${style.module}`} tabIndex={0}>
      {data}
    </pre>
  );
}
