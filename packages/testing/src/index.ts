export { chromiumPath, hasChromium, launchChromium } from './chromium.ts';
export { describeShape, findDangers } from './dangers.ts';
export {
  cloneDatabases,
  dropDatabases,
  findTablesContaining,
  isOnCitus,
  openTestDatabase,
  serverUrl,
  shiftTimes,
  waitUntilBlocked,
  withServerClient,
} from './databases.ts';
export { type DnsServer, silenceNameServers, startDnsServer } from './dns.ts';
export { eventually } from './eventually.ts';
export { listMailsTo, waitForMailedToken } from './mails.ts';
export { sampleProduct, sampleVariant } from './products.ts';
export { type ReceivedCall, type Receiver, startReceiver } from './receiver.ts';
export { amqpUrl, areServersReachable, redisUrl } from './servers.ts';
export {
  type Fault,
  type PaymentKind,
  type StripeEmulator,
  type StripeRequest,
  startStripeEmulator,
} from './stripe-emulator.ts';
export { createStubService } from './stub-service.ts';
export {
  countStatements,
  countWaitingTransactions,
  keptConnections,
  runSql,
  startSystem,
  type TestSystem,
} from './system.ts';
export { checkWalks, type WalkedList } from './walks.ts';
