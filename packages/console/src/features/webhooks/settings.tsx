import type { FilterCondition } from '@waybill/contracts/event-filter';
import { useState } from 'react';
import { useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Card, Row, Stack } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { FilterCard } from './filter.tsx';
import type { WebhookInput } from './queries.ts';
import { useWebhookTexts } from './texts.ts';
import style from './webhooks.module.css';

export interface SettingsProps {
  value: WebhookInput;
  onChange(changes: Partial<WebhookInput>): void;
}

/**
 * Advanced settings with an explanation each (`decisions.md 24`). They are collapsed if none is set and none was
 * refused.
 */
export function WebhookSettings({ value, isRefused, onChange }: SettingsProps & { isRefused: boolean }) {
  const words = useWebhookTexts().settings;
  const isQueue = (value.destination?.kind ?? 'http') !== 'http';
  const [isOpen, setOpen] = useState(() => hasSettings(value));
  return (
    <details
      className={style.more}
      open={isOpen || isRefused}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{words.more}</summary>
      <Stack>
        <FilterCard
          value={(value.filter ?? []) as FilterCondition[]}
          events={value.events}
          onChange={(filter) => onChange({ filter: filter.length > 0 ? filter : null })}
        />
        <PaceCard value={value} onChange={onChange} />
        <RetryCard value={value} onChange={onChange} />
        {!isQueue && <HeadersCard value={value} onChange={onChange} />}
        <CertificateCard value={value} onChange={onChange} />
        <AlertsCard value={value} onChange={onChange} />
      </Stack>
    </details>
  );
}

const hasSettings = (value: WebhookInput): boolean =>
  [
    value.filter,
    value.maxPerSecond,
    value.retryDelays,
    value.ordering,
    value.batch,
    value.clientCertificate,
    value.failureAlerts,
    value.disableAfterDays,
  ].some((setting) => setting != null) ||
  value.format === 'cloudevents' ||
  value.honorsRetryAfter === true ||
  value.stopsOnGone === true ||
  Object.keys(value.headers ?? {}).length > 0;

/** The destination of calls: an address or a queue. */
export function DestinationFields({ value, onChange }: SettingsProps) {
  const words = useWebhookTexts();
  const { settings } = words;
  const destination = value.destination ?? { kind: 'http' as const };
  const field = (name: string, label: string, hint?: string, type?: 'password') => (
    <TextField
      key={name}
      label={label}
      hint={hint}
      name={`/destination/${name}`}
      value={(destination as Record<string, string | undefined>)[name] ?? ''}
      onChange={(text) => onChange({ destination: { ...destination, [name]: text } as never })}
      isRequired={name !== 'exchange'}
      {...(type && { type, autoComplete: 'off' })}
    />
  );
  return (
    <>
      <Select
        label={settings.destination}
        hint={settings.destinationHint}
        name="/destination/kind"
        choices={(['http', 'rabbitmq', 'sqs'] as const).map((id) => ({ id, text: settings.kinds[id] }))}
        value={destination.kind}
        onChange={(kind) => onChange({ destination: blankDestination(kind) as never })}
      />
      {destination.kind === 'http' && (
        <TextField
          label={words.url}
          hint={words.urlHint}
          name="/url"
          type="url"
          value={value.url ?? ''}
          onChange={(url) => onChange({ url })}
          placeholder="https://"
          maxLength={2048}
          isRequired
          autoFocus
        />
      )}
      {destination.kind === 'rabbitmq' && [
        field('url', settings.amqpUrl, settings.amqpUrlHint),
        field('exchange', settings.exchange, settings.exchangeHint),
        field('routingKey', settings.routingKey),
      ]}
      {destination.kind === 'sqs' && [
        field('queueUrl', settings.queueUrl),
        field('region', settings.region),
        field('accessKeyId', settings.accessKeyId),
        field('secretAccessKey', settings.secretAccessKey, settings.secretHint, 'password'),
      ]}
    </>
  );
}

const blankDestination = (kind: 'http' | 'rabbitmq' | 'sqs') =>
  ({
    http: { kind },
    rabbitmq: { kind, url: '', exchange: '', routingKey: '' },
    sqs: { kind, queueUrl: '', region: '', accessKeyId: '', secretAccessKey: '' },
  })[kind];

function PaceCard({ value, onChange }: SettingsProps) {
  const words = useWebhookTexts().settings;
  const batch = value.batch ?? null;
  return (
    <Card title={words.pace}>
      <Stack>
        <Select
          label={words.format}
          hint={words.formatHint}
          name="/format"
          choices={(['envelope', 'cloudevents'] as const).map((id) => ({ id, text: words.formats[id] }))}
          value={value.format ?? 'envelope'}
          onChange={(format) => onChange({ format })}
        />
        <NumberField
          label={words.maxPerSecond}
          hint={words.maxPerSecondHint}
          name="/maxPerSecond"
          value={value.maxPerSecond ?? null}
          onChange={(maxPerSecond) => onChange({ maxPerSecond })}
          minValue={1}
          maxValue={1000}
          step={1}
        />
        <Checkbox
          label={words.ordering}
          hint={words.orderingHint}
          value={value.ordering === 'resource'}
          isDisabled={batch !== null}
          onChange={(isOn) => onChange({ ordering: isOn ? 'resource' : null })}
        />
        <Checkbox
          label={words.batch}
          hint={words.batchHint}
          value={batch !== null}
          isDisabled={value.ordering === 'resource' || value.format === 'cloudevents'}
          onChange={(isOn) => onChange({ batch: isOn ? { maxEvents: 100, maxSeconds: 5 } : null })}
        />
        {batch && (
          <Row>
            <NumberField
              label={words.maxEvents}
              name="/batch/maxEvents"
              value={batch.maxEvents}
              onChange={(maxEvents) => onChange({ batch: { ...batch, maxEvents: maxEvents ?? 2 } })}
              minValue={2}
              maxValue={100}
              step={1}
            />
            <NumberField
              label={words.maxSeconds}
              name="/batch/maxSeconds"
              value={batch.maxSeconds}
              onChange={(maxSeconds) => onChange({ batch: { ...batch, maxSeconds: maxSeconds ?? 1 } })}
              minValue={1}
              maxValue={60}
              step={1}
            />
          </Row>
        )}
      </Stack>
    </Card>
  );
}

function RetryCard({ value, onChange }: SettingsProps) {
  const words = useWebhookTexts().settings;
  const { retryDelays = null } = value;
  const [text, setText] = useState(() => (retryDelays ?? []).join(', '));
  const read = (typed: string) =>
    typed
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(Number);
  return (
    <Card title={words.retries}>
      <Stack>
        <Checkbox
          label={words.ownDelays}
          hint={words.ownDelaysHint}
          value={retryDelays !== null}
          onChange={(isOn) => onChange({ retryDelays: isOn ? read(text) : null })}
        />
        {retryDelays !== null && (
          <TextField
            label={words.delays}
            hint={words.delaysHint}
            name="/retryDelays"
            value={text}
            onChange={(typed) => {
              setText(typed);
              onChange({ retryDelays: read(typed) });
            }}
            placeholder="60, 300, 1800"
          />
        )}
        <Checkbox
          label={words.honorsRetryAfter}
          hint={words.honorsRetryAfterHint}
          value={value.honorsRetryAfter ?? false}
          onChange={(honorsRetryAfter) => onChange({ honorsRetryAfter })}
        />
        <Checkbox
          label={words.stopsOnGone}
          hint={words.stopsOnGoneHint}
          value={value.stopsOnGone ?? false}
          onChange={(stopsOnGone) => onChange({ stopsOnGone })}
        />
      </Stack>
    </Card>
  );
}

interface Header {
  name: string;
  value: string;
  isSecret: boolean;
}

/** Whether an earlier header has the same name; the names of HTTP headers have no case. */
const isRepeated = (headers: readonly Header[], index: number): boolean => {
  const name = headers[index]!.name.toLowerCase();
  return name !== '' && headers.findIndex((header) => header.name.toLowerCase() === name) < index;
};

function HeadersCard({ value, onChange }: SettingsProps) {
  const words = useWebhookTexts().settings;
  const common = useCommon();
  const [headers, setHeaders] = useState<Header[]>(() => {
    const secret = new Set((value.secretHeaders ?? []).map((name) => name.toLowerCase()));
    return Object.entries(value.headers ?? {}).map(([name, text]) => ({
      name,
      value: text,
      isSecret: secret.has(name.toLowerCase()),
    }));
  });
  const set = (changed: Header[]) => {
    setHeaders(changed);
    const named = changed.filter(({ name }) => name !== '');
    onChange({
      headers: Object.fromEntries(named.map((header) => [header.name, header.value])),
      secretHeaders: named.filter(({ isSecret }) => isSecret).map(({ name }) => name),
    });
  };
  const change = (index: number, changes: Partial<Header>) =>
    set(headers.map((header, i) => (i === index ? { ...header, ...changes } : header)));
  return (
    <Card title={words.headers}>
      <p>{words.headersHint}</p>
      <Stack>
        {headers.map((header, index) => (
          // A header has no id while its name is being typed, so its position is its key.
          <Row key={index}>
            <TextField
              label={words.headerName}
              name={`/headers/${header.name}`}
              value={header.name}
              onChange={(name) => change(index, { name })}
              validate={() => (isRepeated(headers, index) ? words.headerTwice : null)}
              isRequired={header.value !== ''}
              maxLength={100}
              isCode
            />
            <TextField
              label={words.value}
              value={header.value}
              onChange={(text) => change(index, { value: text })}
              isCode
            />
            <Checkbox
              label={words.isSecret}
              value={header.isSecret}
              onChange={(isSecret) => change(index, { isSecret })}
            />
            <Button onPress={() => set(headers.filter((_, i) => i !== index))}>{common.remove}</Button>
          </Row>
        ))}
        <Row>
          <Button
            isDisabled={headers.length >= 20}
            onPress={() => setHeaders([...headers, { name: '', value: '', isSecret: false }])}
          >
            {words.addHeader}
          </Button>
        </Row>
      </Stack>
    </Card>
  );
}

function CertificateCard({ value, onChange }: SettingsProps) {
  const words = useWebhookTexts().settings;
  const certificate = value.clientCertificate ?? null;
  const set = (changes: { certificate?: string; key?: string }) => {
    const next = { certificate: certificate?.certificate ?? '', key: certificate?.key, ...changes };
    const { key, ...rest } = next;
    onChange({
      clientCertificate: next.certificate === '' && !key ? null : { ...rest, ...(key && { key }) },
    });
  };
  return (
    <Card title={words.certificate}>
      <p>{words.certificateHint}</p>
      <Stack>
        <TextField
          label={words.certificatePem}
          name="/clientCertificate/certificate"
          value={certificate?.certificate ?? ''}
          onChange={(text) => set({ certificate: text })}
          placeholder="-----BEGIN CERTIFICATE-----"
          rows={4}
          isCode
        />
        {certificate && (
          <TextField
            label={words.keyPem}
            hint={words.keyHint}
            name="/clientCertificate/key"
            value={certificate.key ?? ''}
            onChange={(text) => set({ key: text })}
            placeholder="-----BEGIN PRIVATE KEY-----"
            rows={4}
            isCode
          />
        )}
      </Stack>
    </Card>
  );
}

function AlertsCard({ value, onChange }: SettingsProps) {
  const words = useWebhookTexts().settings;
  const alerts = value.failureAlerts ?? null;
  return (
    <Card title={words.alerts}>
      <Stack>
        <Checkbox
          label={words.failureAlerts}
          hint={words.failureAlertsHint}
          value={alerts !== null}
          onChange={(isOn) => onChange({ failureAlerts: isOn ? { percent: 20, minutes: 60 } : null })}
        />
        {alerts && (
          <Row>
            <NumberField
              label={words.percent}
              name="/failureAlerts/percent"
              value={alerts.percent}
              onChange={(percent) => onChange({ failureAlerts: { ...alerts, percent: percent ?? 1 } })}
              minValue={1}
              maxValue={100}
              step={1}
            />
            <NumberField
              label={words.minutes}
              name="/failureAlerts/minutes"
              value={alerts.minutes}
              onChange={(minutes) => onChange({ failureAlerts: { ...alerts, minutes: minutes ?? 5 } })}
              minValue={5}
              maxValue={1440}
              step={1}
            />
          </Row>
        )}
        <NumberField
          label={words.disableAfterDays}
          hint={words.disableAfterDaysHint}
          name="/disableAfterDays"
          value={value.disableAfterDays ?? null}
          onChange={(disableAfterDays) => onChange({ disableAfterDays })}
          minValue={1}
          maxValue={30}
          step={1}
        />
      </Stack>
    </Card>
  );
}
