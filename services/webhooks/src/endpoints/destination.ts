import type { Problem, Destination as Queue } from '@waybill/contracts';
import { type Destination, hidden } from './settings.ts';

/** A queue as sent by the client. `secret` is undefined where `***` or nothing was sent. */
export interface ParsedDestination {
  destination: Queue;
  secret: string | undefined;
}

const amqpUrl = /^amqps?:\/\//i;
const visible = /^[\x21-\x7e]+$/;

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

const required = (input: Destination, names: readonly (keyof Destination)[], problems: Problem[]) => {
  for (const name of names)
    if (input[name] === undefined) problems.push({ pointer: `/destination/${name}`, message: 'is required' });
};

/** Decodes a part of a URL; null when a % is not followed by an escape. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function parseRabbitMq(input: Destination, problems: Problem[]): ParsedDestination | null {
  required(input, ['url', 'exchange', 'routingKey'], problems);
  const { url: text = '', exchange = '', routingKey = '' } = input;
  const refuse = (message: string): null => {
    problems.push({ pointer: '/destination/url', message });
    return null;
  };
  if (input.url === undefined) return null;
  if (!amqpUrl.test(text) || !visible.test(text)) return refuse('must begin with amqp:// or amqps://');
  // Parse it like a web URL to normalize the host: 0x7f.1 is 127.0.0.1.
  const web = URL.parse(text.replace(amqpUrl, 'ftp://'));
  const scheme = text.slice(0, text.indexOf(':')).toLowerCase();
  if (web === null) return refuse('is not a valid URL');
  if (web.username === '' || web.password === '') return refuse('must have a user name and a password');
  if (web.search !== '' || web.hash !== '') return refuse('must end with the virtual host');
  const port = web.port === '' ? (scheme === 'amqps' ? '5671' : '5672') : web.port;
  const url = `${scheme}://${web.username}@${web.hostname}:${port}${web.pathname === '/' ? '' : web.pathname}`;
  const [user, password] = [decoded(web.username), decoded(web.password)];
  if (user === null || password === null) return refuse('must write % as %25 in its user name and password');
  return {
    destination: { kind: 'rabbitmq', url, exchange, routingKey },
    secret: password === hidden ? undefined : password,
  };
}

function parseSqs(input: Destination, problems: Problem[]): ParsedDestination | null {
  required(input, ['queueUrl', 'region', 'accessKeyId'], problems);
  const { queueUrl = '', region = '', accessKeyId = '', secretAccessKey } = input;
  const say = (name: keyof Destination, message: string) =>
    problems.push({ pointer: `/destination/${name}`, message });
  const url = URL.parse(queueUrl);
  const isUrl = /^https?:\/\//i.test(queueUrl) && visible.test(queueUrl) && url !== null;
  if (input.queueUrl !== undefined && !isUrl) say('queueUrl', 'must be the URL of a queue');
  else if (url?.username || url?.password) say('queueUrl', 'must have no credentials in it');
  if (input.region !== undefined && !/^[a-z0-9-]+$/i.test(region))
    say('region', 'must be a region, as eu-west-1');
  if (input.accessKeyId !== undefined && !visible.test(accessKeyId))
    say('accessKeyId', 'must be an access key');
  if (secretAccessKey !== undefined && !visible.test(secretAccessKey))
    say('secretAccessKey', 'must be a secret access key');
  if (problems.length > 0) return null;
  return {
    destination: { kind: 'sqs', queueUrl, region, accessKeyId },
    secret: secretAccessKey === hidden ? undefined : secretAccessKey,
  };
}

/** Converts a queue to its API form. */
export function showDestination(destination: Queue | undefined): Destination {
  if (destination === undefined) return { kind: 'http' };
  if (destination.kind === 'sqs') return { ...destination, secretAccessKey: hidden };
  return { ...destination, url: destination.url.replace('@', `:${hidden}@`) };
}

/** Returns the host and port that the address rule checks. */
export function targetOf(destination: Queue): URL {
  const url = destinationUrl(destination);
  return new URL(url.replace(/^amqp:/, 'http:').replace(/^amqps:/, 'https:'));
}
