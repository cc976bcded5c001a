export { isForbiddenAddress, isTrusted, parseTrustedTargets, type TrustedTarget } from './address.ts';
export { resealTask, type SealedRow } from './reseal.ts';
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
  outboundSettings,
  readOutboundSettings,
  readTrustedTargets,
  trustedTargetsSetting,
} from './settings.ts';
export { checkUrl, type InvalidUrl, portOf } from './url.ts';
export { forbiddenMessage, type Vetted, vetHost } from './vet.ts';
