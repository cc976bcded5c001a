import { useSuspenseQueries } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useStoreId } from '../../api/me.ts';
import { NotFound } from '../../shell/problems.tsx';
import { InstalledApp } from './installed-app.tsx';
import { NewApp } from './new-app.tsx';
import { installQuery, profileQuery } from './queries.ts';

/** The screen of an app, whether the store has installed it or not. */
export function AppScreen() {
  const storeId = useStoreId();
  const { appId } = useParams({ strict: false }) as { appId: string };
  const [{ data: install }, { data: profile }] = useSuspenseQueries({
    queries: [installQuery(storeId, appId), profileQuery(appId)],
  });
  if (install && install.state !== 'uninstalled')
    return <InstalledApp key={appId} install={install} profile={profile} />;
  if (profile) return <NewApp key={appId} profile={profile} wasInstalled={install !== null} />;
  return <NotFound />;
}
