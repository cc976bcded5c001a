export { isForbiddenAddress, isTrusted, parseTrustedTargets, type TrustedTarget } from './address.ts';
export { countHeldBy, type Resealing, resealTask, type SealedRow } from './reseal.ts';
export { type Lookup, type Resolving, resolveHost } from './resolve.ts';
export {
  isSealedWithFirst,
  newSigningSecret,
  open,
  type SealingKey,
  type SealingKeys,
  seal,
} from './secret-box.ts';
export {
  encryptionKeysOf,
  outboundSettings,
  readOutboundSettings,
  readTrustedTargets,
  trustedTargetsSetting,
} from './settings.ts';
export { checkUrl, type InvalidUrl, portOf } from './url.ts';
export { forbiddenMessage, type Vetted, vetHost } from './vet.ts';
