import { useQuery } from '@tanstack/react-query';
import { useMe } from '../../api/me.ts';
import { useWorkbench } from '../workbench/workbench.ts';

const everyMs = 10_000;
/** A person who saved within this time counts as still editing. */
const presentMs = 120_000;

/** Returns the name of another person who is editing the same document; null if there seems to be nobody. */
export function useOtherEditors(): string | null {
  const { subject } = useWorkbench();
  const { user } = useMe();
  const { data } = useQuery({
    queryKey: [...subject.queryKey, subject.id, 'presence'],
    // A tab in the background sends no requests.
    refetchInterval: everyMs,
    queryFn: async ({ signal }) => {
      const { revisions } = await subject.revisions(undefined, signal);
      const since = Date.now() - presentMs;
      const other = revisions.find(
        ({ userId, kind }) => kind === 'draft' && userId !== null && userId !== user.id,
      );
      return other && Date.parse(other.createdAt) > since ? (other.userName ?? '?') : null;
    },
  });
  return data ?? null;
}
