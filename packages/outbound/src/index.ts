export { isForbiddenAddress, isTrusted, parseTrustedTargets, type TrustedTarget } from './address.ts';
export { countHeldBy, type Resealing, resealTask, type SealedRow } from './reseal.ts';
export { type Lookup, type Resolving, resolveHost } from './resolve.ts';
export { newSigningSecret, open, type SealingKeys, seal } from './secret-box.ts';
export {
  createEncryptionKeys,
  outboundSettings,
  readOutboundSettings,
  readTrustedTargets,
  trustedTargetsSetting,
} from './settings.ts';
export { checkUrl, getPort } from './url.ts';
export { forbiddenMessage, vetHost } from './vet.ts';
