import type { Role } from '@waybill/contracts/permissions';
import { isWaybillError } from '@waybill/sdk';
import { paths } from '../paths.ts';
import type { ErrorScreenProps } from '../router/error-boundary.tsx';
import { explain, useCommon } from '../texts/common.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { Card, Empty, Facts, Screen, Skeleton } from '../ui/layout.tsx';
import style from './shell.module.css';

/** Shown while a screen is loading. */
export function Coming() {
  return (
    <Card>
      <Skeleton lines={8} />
    </Card>
  );
}

/** Shown for an address without a screen. */
export function NotFound() {
  const words = useCommon();
  return (
    <Screen title={words.notFound}>
      <Empty title={words.notFoundHint} action={<LinkButton href={paths.start}>{words.goHome}</LinkButton>} />
    </Screen>
  );
}

/** Shown for an address without a screen, outside the frame. */
export const NotFoundOutside = () => (
  <main className={style.outside}>
    <NotFound />
  </main>
);

/** Shown when a screen failed. */
export function Failed({ error, retry }: ErrorScreenProps) {
  const words = useCommon();
  if (isWaybillError(error, 'not_found')) return <NotFound />;
  const again = async () => {
    // Failed queries are reset first, or they would throw the same error again.
    const { queries } = await import('../api/queries.ts');
    await queries.resetQueries({ predicate: ({ state }) => state.status === 'error' }).catch(() => {});
    retry();
  };
  return (
    <Screen title={words.failed}>
      <Failure error={error} onRetry={() => void again()} />
    </Screen>
  );
}

/** Shown when a screen fails outside the frame. */
export const FailedOutside = (props: ErrorScreenProps) => (
  <main className={style.outside}>
    <Failed {...props} />
  </main>
);

/** Shown when part of a screen could not be loaded: the reason and a retry button. */
export function Failure({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const words = useCommon();
  const requestId = isWaybillError(error) ? error.requestId : null;
  return (
    <div role="alert">
      <Empty title={words.failed} action={<Button onPress={onRetry}>{words.retry}</Button>}>
        {explain(error, words)} {words.failedHint}
      </Empty>
      <Facts facts={[['X-Request-Id', requestId && <code>{requestId}</code>]]} />
    </div>
  );
}

/** Shown when the user's role may not open a feature, with the role that may. */
export function NoPermission({ title, role, needed }: { title: string; role: Role; needed: Role }) {
  const words = useCommon();
  return (
    <Screen title={title}>
      <Card>
        <Empty title={words.noPermission}>
          {words.noPermissionHint({ role: words.roles[role], needed: words.roles[needed] })}
        </Empty>
      </Card>
    </Screen>
  );
}
