export { chromiumPath, hasChromium, launchChromium } from './chromium.ts';
export { dangersIn, shapeOf } from './dangers.ts';
export {
  cloneDatabases,
  dropDatabases,
  isOnCitus,
  onServer,
  openTestDatabase,
  serverUrl,
  setBack,
  tablesWith,
  untilBlocked,
} from './databases.ts';
export { type DnsServer, silenceNameServers, startDnsServer } from './dns.ts';
export { eventually } from './eventually.ts';
export { mailedToken, mailsTo } from './mails.ts';
export { plainProduct, plainVariant } from './products.ts';
export { type ReceivedCall, type Receiver, startReceiver } from './receiver.ts';
export { amqpUrl, redisUrl, serversAnswer } from './servers.ts';
export {
  type Fault,
  type Paying,
  type StripeEmulator,
  type StripeRequest,
  startStripeEmulator,
} from './stripe-emulator.ts';
export { standIn } from './stub-service.ts';
export {
  countStatements,
  countWaitingTransactions,
  keptConnections,
  runSql,
  startSystem,
  type TestSystem,
} from './system.ts';
export { checkWalks, type WalkedList } from './walks.ts';
