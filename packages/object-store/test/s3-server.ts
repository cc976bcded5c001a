import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import aws4 from 'aws4';
import { buildApp } from 'fauxqs';
import type { S3Options } from '../src/index.ts';

export interface S3Server {
  options: S3Options;
  close(): Promise<void>;
}

/**
 * Starts an S3 server on loopback, without a bucket: fauxqs, whose S3 keeps objects in memory. fauxqs checks no
 * signatures, so aws4, which shares no code with the SDK, checks them in front of it.
 */
export async function startS3Server(): Promise<S3Server> {
  const app = buildApp({ logger: false });
  const options = {
    bucket: 'waybill',
    region: 'eu-west-1',
    accessKeyId: 'an-access-key',
    secretAccessKey: 'a/secret+key',
  };
  app.addHook('onRequest', async (request, reply) => {
    if (!isSigned(request.raw, options)) await reply.code(403).type('application/xml').send(refusal);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { options: { ...options, endpoint: `http://127.0.0.1:${port}` }, close: () => app.close() };
}

const refusal = '<Error><Code>SignatureDoesNotMatch</Code></Error>';

/**
 * Whether a request carries a recent signature (Signature Version 4) of these credentials that covers its host and
 * body.
 */
function isSigned(
  { method, url, headers }: IncomingMessage,
  { region, ...credentials }: Omit<S3Options, 'endpoint' | 'bucket'>,
): boolean {
  const { authorization = '' } = headers;
  const names = /SignedHeaders=([^,]*)/.exec(authorization)?.[1]?.split(';') ?? [];
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => names.includes(name))) return false;
  const time = String(headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
  if (!(Math.abs(Date.now() - Date.parse(time)) < 900_000)) return false;
  const signed = Object.fromEntries(names.map((name) => [name, headers[name]]));
  const again = {
    service: 's3',
    region,
    method: method!,
    path: url!,
    headers: signed,
    // aws4 would leave this header out.
    extraHeadersToInclude: { range: true },
  };
  return aws4.sign(again, credentials).headers?.Authorization === authorization;
}
