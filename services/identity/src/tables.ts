import type { Role } from '@waybill/contracts';
import type { Generated } from 'kysely';

export interface Tables {
  user_account: {
    id: string;
    email: string;
    name: string;
    password_hash: string;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
  };
  session: {
    id: string;
    user_id: string;
    used_generation: Generated<number>;
    expires_at: Date;
  };
  refresh_token: {
    hash: string;
    session_id: string;
    generation: number;
    used: Generated<boolean>;
    expires_at: Date;
  };
  store: {
    id: string;
    name: string;
    slug: string;
    currency: string;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
  };
  member: {
    store_id: string;
    user_id: string;
    role: Role;
    created_at: Generated<Date>;
  };
  api_key: {
    store_id: string;
    id: string;
    name: string;
    prefix: string;
    hash: string;
    scopes: string[];
    created_by: string;
    created_at: Generated<Date>;
    last_used_at: Date | null;
    revoked_at: Date | null;
  };
}
