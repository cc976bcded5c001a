import { areServersReachable } from '@waybill/testing';

export { amqpUrl, redisUrl } from '@waybill/testing';

/** Returns `describe` if the server answers, otherwise one that skips its suite. */
export async function describeWith(server: string, url: string): Promise<typeof describe> {
  return (await areServersReachable({ [server]: url }, 'its suites are'))
    ? describe
    : (describe.skip as typeof describe);
}
