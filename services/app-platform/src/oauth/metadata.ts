import { permissions } from '@waybill/contracts';
import type { buildAddresses } from './addresses.ts';
import type { ServerMetadata } from './routes.ts';

const authentication = ['client_secret_basic', 'client_secret_post'];

/** Returns the metadata of this authorization server (RFC 8414) for clients (`decisions.md 14.1`). */
export function serverMetadata({ base, issuer }: ReturnType<typeof buildAddresses>): ServerMetadata {
  return {
    issuer,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    revocation_endpoint: `${base}/oauth/revoke`,
    service_documentation: `${base}/docs`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: authentication,
    revocation_endpoint_auth_methods_supported: authentication,
    authorization_response_iss_parameter_supported: true,
    scopes_supported: [...permissions],
  };
}
