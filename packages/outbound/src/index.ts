export { isForbiddenAddress, isTrusted, parseTrustedTargets, type TrustedTarget } from './address.ts';
export { type Lookup, type Resolving, resolveHost } from './resolve.ts';
export { newSigningSecret, open, seal } from './secret-box.ts';
export {
  outboundSettings,
  readOutboundSettings,
  readTrustedTargets,
  trustedTargetsSetting,
} from './settings.ts';
export { checkUrl, type InvalidUrl, portOf } from './url.ts';
export { forbiddenMessage, type Vetted, vetHost } from './vet.ts';
