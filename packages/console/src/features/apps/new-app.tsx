import { useQueryClient } from '@tanstack/react-query';
import { isWaybillError } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { AppIcon, OriginList, PermissionList } from '../../shell/apps.tsx';
import { explain, useCommon } from '../../texts/common.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Card, Notice, Row, Screen, TwoColumns } from '../../ui/layout.tsx';
import { About } from './about.tsx';
import style from './apps.module.css';
import { type AppProfile, installsKey } from './queries.ts';
import { useAppsTexts } from './texts.ts';

/** The screen of an app that can be installed, with everything it asks for. */
export function NewApp({ profile, wasInstalled }: { profile: AppProfile; wasInstalled: boolean }) {
  const words = useAppsTexts();
  const common = useCommon();
  const store = useStore();
  const { id: appId, name, orgName, iconUrl, installs, scopes, connectOrigins } = profile;
  const queries = useQueryClient();
  const invalidates = [installsKey(store.id), ['apps', appId]];
  const install = useMutation(
    () =>
      api.post('/api/stores/{storeId}/apps/{appId}/install', {
        params: { path: { storeId: store.id, appId } },
        body: { scopes: [...scopes], connectOrigins },
      }),
    {
      done: words.done({ app: name }),
      invalidates,
      handles: () => true,
    },
  );
  /** If the install is refused, the app's data may be stale, so it is read again. */
  const run = () =>
    install
      .attempt(undefined)
      .catch(() => Promise.all(invalidates.map((queryKey) => queries.invalidateQueries({ queryKey }))));
  return (
    <Screen
      title={name}
      subtitle={
        <>
          {words.by({ org: orgName })} · {words.stores({ count: installs })}
        </>
      }
      back={
        <TextLink href={paths.inStore(store.id, 'apps', 'directory')}>
          {common.backTo({ place: words.directory })}
        </TextLink>
      }
      actions={<AppIcon url={iconUrl} name={name} isLarge />}
    >
      <TwoColumns
        main={<About profile={profile} />}
        side={
          <Card title={scopes.length > 0 ? words.asks({ app: name }) : words.asksNothing({ app: name })}>
            {scopes.length > 0 && <PermissionList scopes={scopes} />}
            {connectOrigins.length > 0 && (
              <>
                <p>{words.connects}</p>
                <OriginList origins={connectOrigins} />
              </>
            )}
            {wasInstalled && <Notice>{words.formerly}</Notice>}
            {install.error && (
              <Notice tone="bad">
                {isWaybillError(install.error, 'consent_required')
                  ? words.changed
                  : explain(install.error, common)}
              </Notice>
            )}
            {store.manages ? (
              <>
                <Row>
                  <Button look="primary" isPending={install.isPending} onPress={() => void run()}>
                    {wasInstalled ? words.installAgain : words.install}
                  </Button>
                </Row>
                <p className={style.muted}>{words.installHint}</p>
              </>
            ) : (
              <Notice>{words.adminsOnly}</Notice>
            )}
          </Card>
        }
      />
    </Screen>
  );
}
