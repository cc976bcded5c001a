import { useQuery } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, CopyText, Facts, Row, Skeleton } from '../../ui/layout.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { domainsKey, domainsQuery } from './queries.ts';
import style from './settings.module.css';
import { SettingsScreen } from './settings-screen.tsx';
import { useSettingsTexts } from './texts.ts';

/** The store's custom domains, and the DNS records that inactive ones need. */
export function DomainSettings() {
  const { manages } = useStore();
  return <SettingsScreen part="domains">{manages && <Domains />}</SettingsScreen>;
}

function Domains() {
  const words = useSettingsTexts();
  const common = useCommon();
  const { id: storeId } = useStore();
  const { data, error, refetch } = useQuery(domainsQuery(storeId));
  const [hostname, setHostname] = useState('');
  const [removing, setRemoving] = useState<Model<'Domain'> | null>(null);
  const invalidates = [domainsKey(storeId)];
  const path = { storeId };
  const add = useMutation(
    (body: { hostname: string }) => api.post('/api/stores/{storeId}/domains', { params: { path }, body }),
    {
      done: words.domainAdded,
      invalidates,
      fields: { duplicate_name: ['/hostname', words.domainTaken], too_many_domains: '/hostname' },
      onDone: () => setHostname(''),
    },
  );
  const remove = useMutation(
    (domainId: string) =>
      api.delete('/api/stores/{storeId}/domains/{domainId}', { params: { path: { ...path, domainId } } }),
    { done: words.domainRemoved, invalidates },
  );
  return (
    <Card title={words.domains}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} />}
      {data?.domains.length === 0 && <p className={style.hint}>{words.noDomains}</p>}
      {data && data.domains.length > 0 && (
        <ul className={style.domains}>
          {data.domains.map((domain) => (
            <li key={domain.id} className={style.domain}>
              <Row>
                <strong>{domain.hostname}</strong>
                <Badge tone={domain.state === 'active' ? 'good' : 'warn'}>
                  {words.domainStates[domain.state]}
                </Badge>
                <Button
                  size="small"
                  look="quiet"
                  aria-label={words.removeDomain({ hostname: domain.hostname })}
                  onPress={() => setRemoving(domain)}
                >
                  {common.remove}
                </Button>
              </Row>
              {domain.state === 'pending' && (
                <>
                  <p>{words.domainRecord}</p>
                  <Facts
                    facts={[
                      [words.recordName, <CopyText key="name" text={domain.txt.name} />],
                      [words.recordValue, <CopyText key="value" text={domain.txt.value} />],
                    ]}
                  />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      <Form mutation={add} onSubmit={() => void add.run({ hostname })}>
        <TextField
          label={words.hostname}
          hint={words.hostnameHint}
          name="/hostname"
          value={hostname}
          onChange={setHostname}
          maxLength={253}
          spellCheck="false"
          isRequired
        />
        <Row>
          <Button type="submit" isPending={add.isPending}>
            {words.addDomain}
          </Button>
        </Row>
      </Form>
      <ConfirmDialog
        title={removing ? words.removeDomain({ hostname: removing.hostname }) : ''}
        confirm={common.remove}
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        onConfirm={() => remove.attempt(removing!.id)}
      >
        {words.removeDomainHint}
      </ConfirmDialog>
    </Card>
  );
}
