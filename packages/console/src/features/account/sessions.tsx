import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMutation } from '../../api/mutation.ts';
import { session } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../shell/problems.tsx';
import type { AccountWords } from '../../texts/en/account.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, Card, Skeleton } from '../../ui/layout.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import style from './account.module.css';
import { sessionsQuery } from './queries.ts';
import { useAccountTexts } from './texts.ts';

/** The open sessions of the account, most recently used first. */
export function Sessions() {
  const words = useAccountTexts();
  const formats = useFormats();
  const { data, error, refetch } = useQuery(sessionsQuery);
  const [isEndingAll, setEndingAll] = useState(false);
  const end = useMutation((id: string) => api.delete('/api/me/sessions/{id}', { params: { path: { id } } }), {
    done: words.ended,
    invalidates: [sessionsQuery.queryKey],
  });
  const endAll = useMutation(() => api.delete('/api/me/sessions'), { onDone: () => void signOut() });
  return (
    <Card
      title={words.sessions}
      actions={
        <Button size="small" onPress={() => setEndingAll(true)}>
          {words.endAll}
        </Button>
      }
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={4} />}
      <ul className={style.sessions}>
        {data?.map(({ id, userAgent, ip, createdAt, lastUsedAt, isCurrent }) => {
          const name = getProgramName(userAgent, words);
          return (
            <li key={id} className={style.session}>
              <span title={userAgent ?? undefined}>
                {name} {isCurrent && <Badge tone="accent">{words.thisSession}</Badge>}
                <small>
                  {[
                    ip,
                    words.lastUsed({ when: formats.ago(lastUsedAt) }),
                    words.signedInSince({ when: formats.date(createdAt) }),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </small>
              </span>
              {!isCurrent && (
                <Button
                  size="small"
                  aria-label={words.endSession({ what: name })}
                  isDisabled={end.isPending}
                  onPress={() => end.run(id)}
                >
                  {words.end}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      <ConfirmDialog
        title={words.endAllTitle}
        confirm={words.endAll}
        isOpen={isEndingAll}
        onClose={() => setEndingAll(false)}
        onConfirm={() => endAll.attempt(undefined)}
      >
        {words.endAllHint}
      </ConfirmDialog>
    </Card>
  );
}

/** Signs out and reloads the console at the sign-in, so that no account data stays in memory. */
export async function signOut(): Promise<void> {
  await session.signOut();
  location.assign(paths.signIn());
}

const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

/** Returns the usual name of a browser; other programs keep the name they report. */
export function getProgramName(userAgent: string | null, words: AccountWords): string {
  if (!userAgent) return words.unknownProgram;
  const find = (names: typeof browsers) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [find(browsers), find(systems)];
  return browser && system ? words.browserOn({ browser, system }) : userAgent;
}
