import type { Problem, Destination as Queue } from '@waybill/contracts';
import { type Destination, secretPlaceholder } from './settings.ts';

/** A queue as sent by the client. `secret` is undefined where `***` or nothing was sent. */
export interface ParsedDestination {
  destination: Queue;
  secret: string | undefined;
}

const amqpUrl = /^amqps?:\/\//i;
const printableText = /^[\x21-\x7e]+$/;

/** Returns the address of a queue without its secret, for the address rule and the limits of hosts. */
export const destinationUrl = (destination: Queue): string =>
  destination.kind === 'sqs' ? destination.queueUrl : destination.url;

/** Parses a destination as sent by the client; null when calls go to a URL. Adds errors to `problems`. */
export function parseDestination(
  input: Destination | undefined,
  problems: Problem[],
): ParsedDestination | null {
  if (input === undefined || input.kind === 'http') return null;
  return input.kind === 'rabbitmq' ? parseRabbitMq(input, problems) : parseSqs(input, problems);
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
  // Parse it like a web URL to normalize the host: 0x7f.1 is 127.0.0.1.
  const parsed = URL.parse(text.replace(amqpUrl, 'ftp://'));
  const scheme = text.slice(0, text.indexOf(':')).toLowerCase();
  if (parsed === null) return addUrlProblem('is not a valid URL');
  if (parsed.username === '' || parsed.password === '')
    return addUrlProblem('must have a user name and a password');
  if (parsed.search !== '' || parsed.hash !== '') return addUrlProblem('must end with the virtual host');
  const port = parsed.port === '' ? (scheme === 'amqps' ? '5671' : '5672') : parsed.port;
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
export function toTargetUrl(destination: Queue): URL {
  const url = destinationUrl(destination);
  return new URL(url.replace(/^amqp:/, 'http:').replace(/^amqps:/, 'https:'));
}
