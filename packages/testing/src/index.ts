export { cloneDatabases, dropDatabases, serverUrl } from './databases.ts';
export { eventually } from './eventually.ts';
export { type ReceivedCall, type Receiver, startReceiver } from './receiver.ts';
export { amqpUrl, redisUrl, serversAnswer } from './servers.ts';
export { startSystem, type TestSystem } from './system.ts';
