import type { Channel, ChannelModel } from 'amqplib';

/** Does something on a channel of its own, as what the broker refuses closes the channel. */
export async function onChannel<Result>(
  model: ChannelModel,
  action: (channel: Channel) => Promise<Result>,
): Promise<Result> {
  const channel = await model.createChannel();
  // The action fails with the reason.
  channel.on('error', () => {});
  const closed = new Promise<void>((resolve) => channel.on('close', resolve));
  const result = await action(channel);
  // Where the connection goes meanwhile amqplib never answers who closes a channel; that it is closed, it says.
  await Promise.race([channel.close(), closed]);
  return result;
}

/** The code that the broker gave for a refusal. */
export function codeOf(error: unknown): number | undefined {
  return (error as { code?: number }).code;
}
