import { useSuspenseQueries } from '@tanstack/react-query';
import { useStoreId } from '../../api/me.ts';
import { useParams } from '../../router/router.tsx';
import { NotFound } from '../../shell/problems.tsx';
import { InstalledApp } from './installed-app.tsx';
import { NewApp } from './new-app.tsx';
import { installQuery, profileQuery } from './queries.ts';

/** The screen of an app, whether the store has installed it or not. */
export function AppScreen() {
  const storeId = useStoreId();
  const { appId } = useParams<'appId'>();
  const [{ data: install }, { data: profile }] = useSuspenseQueries({
    queries: [installQuery(storeId, appId), profileQuery(appId)],
  });
  if (install && install.state !== 'uninstalled')
    return <InstalledApp key={appId} install={install} profile={profile} />;
  if (profile) return <NewApp key={appId} profile={profile} wasInstalled={install !== null} />;
  return <NotFound />;
}
