import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type CallSecrets, type Destination, filterProblems, type Problem } from '@waybill/contracts';
import { escapePointer } from '@waybill/kernel';
import { open, type SealingKeys, seal } from '@waybill/outbound';
import { resolveTarget, type Target } from './destination.ts';
import type { Endpoint } from './queries.ts';
import { ruleMembers, type SettingsInput, type StoredCallSettings, secretPlaceholder } from './settings.ts';

/** The columns that hold the settings of an endpoint. */
export type SettingsColumns = Pick<
  Endpoint,
  | 'url'
  | 'filter'
  | 'call_settings'
  | 'sealed_settings'
  | 'max_per_second'
  | 'retry_delays'
  | 'ordering'
  | 'batch'
  | 'honors_retry_after'
  | 'stops_on_gone'
  | 'failure_alerts'
  | 'disable_after_days'
>;

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const headerValue = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const maxHeaderValue = 4_096;
const maxHeaders = 20;
/** Maximum length of all names and values. Each call carries them, and receivers refuse heads of more than 16 KiB. */
const maxHeaderCharacters = 8_192;

/** Headers that an endpoint cannot set: those of the connection and of the body, and ours. */
const reservedHeader =
  /^(?:connection|keep-alive|proxy-authenticate|proxy-authorization|proxy-connection|te|trailer|trailers|transfer-encoding|upgrade|expect|host|__proto__)$|^(?:content-|x-wb-|webhook-)/i;

const toKey = (name: string) => name.toLowerCase();

/** The settings of an endpoint as they were resolved from an input. */
export interface ResolvedSettings {
  /** The faults of the input. If there are any, the columns must not be used. */
  problems: Problem[];
  columns: SettingsColumns;
  /** The address that the address rule has to check; null if the stored one stays. */
  address: URL | null;
}

/**
 * Resolves the settings of an endpoint from the input: an absent setting has its default, or stays as in `current`, and
 * so do the members that an object omits. Secrets are sealed. A secret sent as `***` is kept, but never goes to another
 * host (`decisions.md 24.1`). `refused` are fields that the input lacks because they break their schemas; nothing that
 * depends on them is a problem.
 */
export function resolveSettings(
  keys: SealingKeys,
  id: string,
  input: SettingsInput & { url?: string | null },
  current: Endpoint | null,
  refused: ReadonlySet<string> = new Set(),
): ResolvedSettings {
  const problems: Problem[] = [];
  const stored = current?.call_settings ?? {};
  const storedSecrets = readSecrets(keys, current);
  const isTargetRefused = refused.has('url') || refused.has('destination');
  const target = isTargetRefused ? null : resolveTarget(input, stored.destination, problems);
  const url = target?.url ?? '';
  // A secret that was entered for one host must not be sent to another.
  const hasMoved = current !== null && target !== null && parseOrigin(url) !== parseOrigin(current.url);
  const reusableSecrets = hasMoved ? {} : storedSecrets;

  const headers =
    refused.has('headers') || refused.has('secretHeaders')
      ? { shown: {}, secrets: {}, secretNames: [] }
      : resolveHeaders(input, stored, reusableSecrets, storedSecrets, problems);
  const certificate = refused.has('clientCertificate')
    ? null
    : resolveCertificate(input.clientCertificate, stored, reusableSecrets, problems);
  const queue = target && resolveQueue(target, stored, { reusableSecrets, hasMoved }, problems);
  const filter = input.filter === undefined ? (current?.filter ?? null) : input.filter;
  problems.push(...filterProblems(filter ?? []));

  const format = input.format ?? stored.format ?? 'envelope';
  const ordering = input.ordering === undefined ? (current?.ordering ?? null) : input.ordering;
  const batch = resolveRule('batch', input, current?.batch ?? null, problems);
  if (batch !== null) problems.push(...batchProblems({ ordering, format, isQueue: queue !== null }, input));
  const failureAlerts = resolveRule('failureAlerts', input, current?.failure_alerts ?? null, problems);

  const callSettings: StoredCallSettings = {
    ...(Object.keys(headers.shown).length > 0 && { headers: headers.shown }),
    ...(headers.secretNames.length > 0 && { secretHeaders: headers.secretNames }),
    ...(format === 'cloudevents' && { format }),
    ...(certificate && { certificate: certificate.certificate }),
    ...(queue && { destination: queue.destination }),
  };
  const secrets: CallSecrets = {
    ...(Object.keys(headers.secrets).length > 0 && { headers: headers.secrets }),
    ...(certificate && { certificateKey: certificate.key }),
    ...(queue && { destination: queue.secret }),
  };
  const resolveSetting = <Name extends keyof SettingsInput, Value>(
    name: Name,
    currentValue: Value,
    defaultValue: Value,
  ) => (input[name] === undefined ? (current ? currentValue : defaultValue) : input[name]) as Value;
  const columns: SettingsColumns = {
    url,
    filter,
    call_settings: Object.keys(callSettings).length > 0 ? callSettings : null,
    sealed_settings: sealSecrets(keys, id, secrets, storedSecrets, current?.sealed_settings ?? null),
    max_per_second: resolveSetting('maxPerSecond', current?.max_per_second ?? null, null),
    retry_delays: resolveSetting('retryDelays', current?.retry_delays ?? null, null),
    ordering,
    batch,
    honors_retry_after: resolveSetting('honorsRetryAfter', current?.honors_retry_after ?? false, false),
    stops_on_gone: resolveSetting('stopsOnGone', current?.stops_on_gone ?? false, false),
    failure_alerts: failureAlerts,
    disable_after_days: resolveSetting('disableAfterDays', current?.disable_after_days ?? null, null),
  };
  return { problems, columns, address: target?.address ?? null };
}

/** Resolves a rule whose omitted members keep their values. Adds a problem for each member that has none. */
function resolveRule<Name extends keyof typeof ruleMembers>(
  name: Name,
  input: SettingsInput,
  stored: Record<(typeof ruleMembers)[Name][number], number> | null,
  problems: Problem[],
): Record<(typeof ruleMembers)[Name][number], number> | null {
  const sent = input[name];
  if (sent === undefined) return stored;
  if (sent === null) return null;
  const known: Record<string, number | undefined> = { ...stored, ...sent };
  for (const member of ruleMembers[name])
    if (known[member] === undefined) problems.push({ pointer: `/${name}/${member}`, message: 'is required' });
  return Object.fromEntries(ruleMembers[name].map((member) => [member, known[member]])) as never;
}

/** Returns the secrets of an endpoint, decrypted. */
export function readSecrets(
  keys: SealingKeys,
  endpoint: Pick<Endpoint, 'id' | 'sealed_settings'> | null,
): CallSecrets {
  return endpoint?.sealed_settings ? JSON.parse(open(keys, endpoint.sealed_settings, endpoint.id)) : {};
}

/** Keeps the sealed text when its content has not changed, so that a PUT of what was read changes nothing. */
function sealSecrets(
  keys: SealingKeys,
  id: string,
  secrets: CallSecrets,
  storedSecrets: CallSecrets,
  sealed: string | null,
): string | null {
  if (Object.keys(secrets).length === 0) return null;
  if (sealed !== null && isDeepStrictEqual(secrets, storedSecrets)) return sealed;
  return seal(keys, JSON.stringify(secrets), id);
}

function resolveHeaders(
  input: SettingsInput,
  stored: StoredCallSettings,
  reusableSecrets: CallSecrets,
  storedSecrets: CallSecrets,
  problems: Problem[],
) {
  const sent = input.headers ?? stored.headers ?? {};
  const secretNames = removeDuplicateNames(input.secretHeaders ?? stored.secretHeaders ?? []);
  const secretKeys = new Set(secretNames.map(toKey));
  const reusableByKey = new Map(
    Object.entries(reusableSecrets.headers ?? {}).map(([name, value]) => [toKey(name), value]),
  );
  const formerSecretKeys = new Set(Object.keys(storedSecrets.headers ?? {}).map(toKey));
  const visible: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  const seenKeys = new Set<string>();
  const entries = Object.entries(sent);
  if (entries.length > maxHeaders)
    problems.push({ pointer: '/headers', message: `must have at most ${maxHeaders} entries` });
  for (const [index, name] of (input.secretHeaders ?? []).entries())
    if (!headerName.test(name))
      problems.push({ pointer: `/secretHeaders/${index}`, message: 'must be the name of a header' });
  for (const [name, value] of entries) {
    const key = toKey(name);
    const isSecret = secretKeys.has(key);
    const isReused = value === secretPlaceholder && isSecret && reusableByKey.has(key);
    const message = headerProblem(name, value, {
      isReused,
      wasSecret: formerSecretKeys.has(key),
      isRepeated: seenKeys.has(key),
    });
    seenKeys.add(key);
    if (message !== null) problems.push({ pointer: `/headers/${escapePointer(name)}`, message });
    if (isSecret) secrets[name] = isReused ? reusableByKey.get(key)! : value;
    visible[name] = isSecret ? secretPlaceholder : value;
  }
  const size = entries.reduce(
    (sum, [name]) => sum + name.length + (secrets[name] ?? visible[name] ?? '').length,
    0,
  );
  if (size > maxHeaderCharacters)
    problems.push({
      pointer: '/headers',
      message: `must have at most ${maxHeaderCharacters} characters in all names and values`,
    });
  return { shown: visible, secrets, secretNames };
}

function headerProblem(
  name: string,
  value: string,
  { isReused, wasSecret, isRepeated }: { isReused: boolean; wasSecret: boolean; isRepeated: boolean },
): string | null {
  if (!headerName.test(name)) return 'must be the name of a header of at most 100 characters';
  if (reservedHeader.test(name)) return 'is a header that a webhook cannot set';
  if (isRepeated) return 'appears twice, in different cases';
  if (isReused) return null;
  if (value === secretPlaceholder)
    return wasSecret
      ? 'must be sent again: a secret value is not kept for another host, or if the header is no longer secret'
      : 'must have a value; *** keeps the values of secret headers only';
  if (value.length > maxHeaderValue || !headerValue.test(value))
    return `must be 1 to ${maxHeaderValue} printable ASCII characters, without spaces at either end`;
  return null;
}

/** Removes duplicate header names, ignoring case. */
const removeDuplicateNames = (names: readonly string[]): string[] =>
  [...new Map(names.toReversed().map((name) => [toKey(name), name])).values()].toReversed();

function resolveCertificate(
  input: SettingsInput['clientCertificate'],
  stored: StoredCallSettings,
  reusableSecrets: CallSecrets,
  problems: Problem[],
): { certificate: string; key: string } | null {
  if (input === null) return null;
  const certificate = input?.certificate ?? stored.certificate;
  if (certificate === undefined) {
    if (input) problems.push({ pointer: '/clientCertificate/certificate', message: 'is required' });
    return null;
  }
  const isSame = certificate === stored.certificate;
  const key = input?.key ?? (isSame ? reusableSecrets.certificateKey : undefined);
  if (key === undefined) {
    problems.push({
      pointer: '/clientCertificate/key',
      message: 'must be sent with a new certificate or host',
    });
    return null;
  }
  if (input === undefined || (isSame && input.key === undefined)) return { certificate, key };
  const problem = certificateProblem(certificate, key);
  if (problem) problems.push(problem);
  return { certificate, key };
}

function certificateProblem(certificate: string, key: string): Problem | null {
  let parsed: X509Certificate;
  try {
    parsed = new X509Certificate(certificate);
  } catch {
    return { pointer: '/clientCertificate/certificate', message: 'must be a certificate in PEM' };
  }
  try {
    if (parsed.checkPrivateKey(createPrivateKey(key))) return null;
    return { pointer: '/clientCertificate/key', message: 'must be the key of the certificate' };
  } catch {
    return {
      pointer: '/clientCertificate/key',
      message: 'must be a private key in PEM, without a passphrase',
    };
  }
}

/** Returns the queue that calls go to, with its secret, or null for a URL. */
function resolveQueue(
  { queue }: Target,
  stored: StoredCallSettings,
  { reusableSecrets, hasMoved }: { reusableSecrets: CallSecrets; hasMoved: boolean },
  problems: Problem[],
): { destination: Destination; secret: string } | null {
  if (queue === null) return null;
  const { destination } = queue;
  // A secret of another account, or of another kind of queue, must not be reused.
  const isSameAccount =
    stored.destination !== undefined && describeAccount(stored.destination) === describeAccount(destination);
  const secret = queue.secret ?? (isSameAccount ? reusableSecrets.destination : undefined);
  if (secret === undefined) {
    const isOtherHost = isSameAccount && hasMoved;
    problems.push({
      pointer: destination.kind === 'sqs' ? '/destination/secretAccessKey' : '/destination/url',
      message: `must be sent with its secret${isOtherHost ? ' again, because the host differs' : ''}`,
    });
  }
  return { destination, secret: secret ?? '' };
}

const describeAccount = (destination: Destination): string =>
  destination.kind === 'sqs'
    ? `sqs ${destination.accessKeyId}`
    : `rabbitmq ${new URL(destination.url).username}`;

function batchProblems(
  { ordering, format, isQueue }: { ordering: string | null; format: string; isQueue: boolean },
  input: SettingsInput,
): Problem[] {
  const conflicts = [
    ordering !== null && (['ordering', 'with an order by resource'] as const),
    format === 'cloudevents' && (['format', 'with cloudevents'] as const),
    isQueue && (['destination', 'with a destination that is a queue'] as const),
  ].filter((conflict) => conflict !== false);
  return conflicts.map(([name, condition]) => ({
    pointer: input.batch ? '/batch' : `/${name}`,
    message: input.batch ? `cannot be set together ${condition}` : 'cannot be set together with batch',
  }));
}

/** Returns the scope within which secrets may be reused: scheme, host and port. */
function parseOrigin(url: string): string {
  const { protocol, host } = URL.parse(url) ?? { protocol: '', host: '' };
  return `${protocol}//${host.toLowerCase()}`;
}
