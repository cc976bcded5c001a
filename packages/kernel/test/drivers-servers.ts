import { serversAnswer } from '@waybill/testing';

export { amqpUrl, redisUrl } from '@waybill/testing';

/** `describe` where the server answers, otherwise one that leaves its suite out. */
export async function describeWith(server: string, url: string): Promise<typeof describe> {
  return (await serversAnswer({ [server]: url }, 'its suites are'))
    ? describe
    : (describe.skip as typeof describe);
}
