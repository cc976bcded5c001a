import type { Channel, ChannelModel } from 'amqplib';

/** Runs an action on a channel of its own, because an operation that the broker refuses closes the channel. */
export async function onChannel<Result>(
  model: ChannelModel,
  action: (channel: Channel) => Promise<Result>,
): Promise<Result> {
  const channel = await model.createChannel();
  // The action itself fails with the reason.
  channel.on('error', () => {});
  const closed = new Promise<void>((resolve) => channel.on('close', resolve));
  const result = await action(channel);
  // If the connection breaks meanwhile, amqplib never resolves `channel.close`, but it emits 'close'.
  await Promise.race([channel.close(), closed]);
  return result;
}

/** Returns the code with which the broker refused an operation. */
export function readErrorCode(error: unknown): number | undefined {
  return (error as { code?: number }).code;
}
