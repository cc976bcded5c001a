import { Redis, type RedisOptions } from 'ioredis';

/**
 * The scripts that do several steps in one round trip. They use the clock of Redis throughout, because the clocks of
 * the processes differ. Every key that they write expires.
 */

/**
 * Takes up to `count` tokens out of a bucket, as many as it has (`rate.ts`). A bucket is one number: the moment at
 * which it is full again. Returns how many milliseconds away that moment was before, and how many tokens were taken.
 */
const takeTokens = `
local function takeTokens(key, perMinute, burst, count)
  local clock, slack = redis.call('TIME'), 0.01
  local now = clock[1] * 1000 + clock[2] / 1000
  local interval = 60000 / perMinute
  local fullIn = math.max((tonumber(redis.call('GET', key)) or 0) - now, 0)
  -- Further from full than empty: the clock was set back.
  if fullIn > burst * interval + slack then fullIn = 0 end
  local taken = math.max(0, math.min(count, math.floor((burst * interval - fullIn + slack) / interval)))
  if taken > 0 then
    local ahead = fullIn + taken * interval
    redis.call('SET', key, string.format('%.3f', now + ahead), 'PX', math.ceil(ahead) + 1)
  end
  return { string.format('%.17g', fullIn), taken }
end
`;

/**
 * KEYS: bucket, entries. ARGV: perMinute, burst, count, the prefix of epochs, the earliest time of an entry that may be
 * used.
 */
const admit = `${takeTokens}
local reply = takeTokens(KEYS[1], ARGV[1], ARGV[2], ARGV[3])
for k = 2, #KEYS do
  local entry = redis.call('HMGET', KEYS[k], 'subject', 'epoch', 'value', 'at')
  local isValid = entry[1] and tonumber(entry[4]) >= tonumber(ARGV[5])
    and redis.call('GET', ARGV[4] .. entry[1]) == entry[2]
  for i = 1, 3 do table.insert(reply, isValid and entry[i]) end
end
return reply
`;

/** KEYS: bucket. ARGV: perMinute, burst. */
const take = `${takeTokens}
return takeTokens(KEYS[1], ARGV[1], ARGV[2], 1)
`;

/** KEYS: entry. ARGV: subject, epoch, value, milliseconds to live. */
const put = `
local time = redis.call('TIME')
local at = string.format('%.3f', time[1] * 1000 + time[2] / 1000)
redis.call('HSET', KEYS[1], 'subject', ARGV[1], 'epoch', ARGV[2], 'value', ARGV[3], 'at', at)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
`;

/** KEYS: epoch. ARGV: its value if there is none yet, milliseconds to live. */
const epoch = `
local stored = redis.call('GET', KEYS[1])
if stored then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return stored
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
`;

/** KEYS: counter. ARGV: by, milliseconds of the window. */
const count = `
local total = tonumber(redis.call('GET', KEYS[1])) or 0
if ARGV[1] ~= '0' then
  total = redis.call('INCRBY', KEYS[1], ARGV[1])
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
end
local left = redis.call('PTTL', KEYS[1])
return { total, left < 0 and tonumber(ARGV[2]) or left }
`;

export type RateReply = [fullInMs: string, taken: number];
/** After the rate: subject, epoch and value of each entry, or null for a missing entry. */
export type AdmitReply = [...RateReply, ...(string | null)[]];

type AdmitArguments = [
  perMinute: number,
  burst: number,
  count: number,
  epochPrefix: string,
  notBefore: number,
];

export interface ScriptedRedis extends Redis {
  admitRequest(
    numberOfKeys: number,
    ...keysAndArguments: [bucket: string, ...entries: string[], ...AdmitArguments]
  ): Promise<AdmitReply>;
  takeToken(bucket: string, perMinute: number, burst: number): Promise<RateReply>;
  putEntry(entry: string, subject: string, epoch: string, value: string, ttlMs: number): Promise<null>;
  ensureEpoch(epoch: string, ifNone: string, ttlMs: number): Promise<string>;
  countEvents(counter: string, by: number, windowMs: number): Promise<[count: number, leftMs: number]>;
}

/** Creates a client that knows the scripts. It loads a script by itself when Redis does not have it. */
export function createScriptedRedis(url: string, options: RedisOptions): ScriptedRedis {
  const scripts = {
    admitRequest: { lua: admit },
    takeToken: { lua: take, numberOfKeys: 1 },
    putEntry: { lua: put, numberOfKeys: 1 },
    ensureEpoch: { lua: epoch, numberOfKeys: 1 },
    countEvents: { lua: count, numberOfKeys: 1 },
  };
  return new Redis(url, { ...options, scripts }) as ScriptedRedis;
}
