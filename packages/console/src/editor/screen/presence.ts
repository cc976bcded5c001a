import { useQuery } from '@tanstack/react-query';
import { useMe } from '../../api/me.ts';
import { useWorkbench } from './workbench.ts';

const everyMs = 10_000;
/** Who saved within this time is still at it. */
const presentMs = 120_000;

/** The name of somebody else who is editing the same document; null: nobody seems to be. */
export function usePresence(): string | null {
  const { subject } = useWorkbench();
  const { user } = useMe();
  const { data } = useQuery({
    queryKey: [...subject.queryKey, subject.id, 'presence'],
    // Nobody looks at a tab in the background, and it asks nothing then.
    refetchInterval: everyMs,
    queryFn: async ({ signal }) => {
      const { revisions } = await subject.revisions(undefined, signal);
      const since = Date.now() - presentMs;
      const other = revisions.find(({ userId, kind }) => kind === 'draft' && userId !== null && userId !== user.id);
      return other && Date.parse(other.createdAt) > since ? (other.userName ?? '?') : null;
    },
  });
  return data ?? null;
}
