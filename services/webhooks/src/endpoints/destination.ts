import type { Problem, Destination as Queue } from '@waybill/contracts';
import { checkUrl } from '@waybill/outbound';
import { type Destination, type SettingsInput, secretPlaceholder } from './settings.ts';

/** A queue as sent by the client. `secret` is undefined where `***` or nothing was sent. */
interface ParsedDestination {
  destination: Queue;
  secret: string | undefined;
}

/** Where the calls of an endpoint go. */
export interface Target {
  /** The URL, or the address of the queue without its secret. */
  url: string;
  /** The queue; null when calls go to the URL. */
  queue: ParsedDestination | null;
  /** The address that the address rule has to check; null if the stored queue stays. */
  address: URL | null;
}

const amqpUrl = /^amqps?:\/\//i;
const printableText = /^[\x21-\x7e]+$/;

/** Returns the address of a queue without its secret, for the address rule and the limits of hosts. */
export const destinationUrl = (destination: Queue): string =>
  destination.kind === 'sqs' ? destination.queueUrl : destination.url;

/**
 * Resolves where the calls of an endpoint go. What a destination omits stays as in `stored`, the endpoint's present
 * queue, while its kind stays the same. Adds errors to `problems` and returns null if there are any.
 */
export function resolveTarget(
  input: Pick<SettingsInput, 'destination'> & { url?: string | null },
  stored: Queue | undefined,
  problems: Problem[],
): Target | null {
  if (input.destination === undefined && stored)
    return { url: destinationUrl(stored), queue: { destination: stored, secret: undefined }, address: null };
  const found: Problem[] = [];
  const destination = completeDestination(input.destination, toApiDestination(stored));
  const target = destination.kind === 'http' ? parseUrl(input.url, found) : parseQueue(destination, found);
  problems.push(...found);
  return found.length > 0 ? null : target;
}

function completeDestination(input: SettingsInput['destination'], stored: Destination): Destination {
  const { kind = stored.kind, ...members } = input ?? {};
  return kind === stored.kind ? { ...stored, ...members } : { kind, ...members };
}

function parseUrl(text: string | null | undefined, problems: Problem[]): Target | null {
  const url = checkUrl(text ?? '');
  if (text != null && !('problem' in url)) return { url: text, queue: null, address: url };
  const message = 'problem' in url && text != null ? url.message : 'is required';
  problems.push({ pointer: '/url', message });
  return null;
}

function parseQueue(input: Destination, problems: Problem[]): Target | null {
  const queue = input.kind === 'rabbitmq' ? parseRabbitMq(input, problems) : parseSqs(input, problems);
  if (queue === null) return null;
  return { url: destinationUrl(queue.destination), queue, address: toTargetUrl(queue.destination) };
}

const checkRequired = (input: Destination, names: readonly (keyof Destination)[], problems: Problem[]) => {
  for (const name of names)
    if (input[name] === undefined) problems.push({ pointer: `/destination/${name}`, message: 'is required' });
};

/** Decodes a part of a URL; null when a % is not followed by an escape. */
function decodeUrlPart(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function parseRabbitMq(input: Destination, problems: Problem[]): ParsedDestination | null {
  checkRequired(input, ['url', 'exchange', 'routingKey'], problems);
  const { url: text = '', exchange = '', routingKey = '' } = input;
  const addUrlProblem = (message: string): null => {
    problems.push({ pointer: '/destination/url', message });
    return null;
  };
  if (input.url === undefined) return null;
  if (!amqpUrl.test(text) || !printableText.test(text))
    return addUrlProblem('must begin with amqp:// or amqps://');
  // Parse it like a web URL to normalize the host: 0x7f.1 is 127.0.0.1. Every scheme of the web hides its default port,
  // so a second one tells that port.
  const [parsed, other] = ['http://', 'https://'].map((web) => URL.parse(text.replace(amqpUrl, web)));
  const scheme = text.slice(0, text.indexOf(':')).toLowerCase();
  if (!parsed || !other) return addUrlProblem('is not a valid URL');
  if (parsed.username === '' || parsed.password === '')
    return addUrlProblem('must have a user name and a password');
  if (parsed.search !== '' || parsed.hash !== '') return addUrlProblem('must end with the virtual host');
  const port = parsed.port || other.port || (scheme === 'amqps' ? '5671' : '5672');
  const url = `${scheme}://${parsed.username}@${parsed.hostname}:${port}${parsed.pathname === '/' ? '' : parsed.pathname}`;
  const [user, password] = [decodeUrlPart(parsed.username), decodeUrlPart(parsed.password)];
  if (user === null || password === null)
    return addUrlProblem('must write % as %25 in its user name and password');
  return {
    destination: { kind: 'rabbitmq', url, exchange, routingKey },
    secret: password === secretPlaceholder ? undefined : password,
  };
}

function parseSqs(input: Destination, problems: Problem[]): ParsedDestination | null {
  checkRequired(input, ['queueUrl', 'region', 'accessKeyId'], problems);
  const { queueUrl = '', region = '', accessKeyId = '', secretAccessKey } = input;
  const addProblem = (name: keyof Destination, message: string) =>
    problems.push({ pointer: `/destination/${name}`, message });
  const url = URL.parse(queueUrl);
  const isUrl = /^https?:\/\//i.test(queueUrl) && printableText.test(queueUrl) && url !== null;
  if (input.queueUrl !== undefined && !isUrl) addProblem('queueUrl', 'must be the URL of a queue');
  else if (url?.username || url?.password) addProblem('queueUrl', 'must have no credentials in it');
  if (input.region !== undefined && !/^[a-z0-9-]+$/i.test(region))
    addProblem('region', 'must be a region, as eu-west-1');
  if (input.accessKeyId !== undefined && !printableText.test(accessKeyId))
    addProblem('accessKeyId', 'must be an access key');
  if (secretAccessKey !== undefined && !printableText.test(secretAccessKey))
    addProblem('secretAccessKey', 'must be a secret access key');
  if (problems.length > 0) return null;
  return {
    destination: { kind: 'sqs', queueUrl, region, accessKeyId },
    secret: secretAccessKey === secretPlaceholder ? undefined : secretAccessKey,
  };
}

/** Converts a queue to its API form. */
export function toApiDestination(destination: Queue | undefined): Destination {
  if (destination === undefined) return { kind: 'http' };
  if (destination.kind === 'sqs') return { ...destination, secretAccessKey: secretPlaceholder };
  return { ...destination, url: destination.url.replace('@', `:${secretPlaceholder}@`) };
}

/** Returns the host and port that the address rule checks. */
function toTargetUrl(destination: Queue): URL {
  const url = destinationUrl(destination);
  return new URL(url.replace(/^amqp:/, 'http:').replace(/^amqps:/, 'https:'));
}
