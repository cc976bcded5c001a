import type { EventType } from '@waybill/contracts';
import type { Generated } from 'kysely';

export type EndpointStatus = 'active' | 'disabled' | 'failing';
export type DeliveryStatus = 'pending' | 'retrying' | 'delivered' | 'dead' | 'cancelled';

export interface Tables {
  webhook_endpoint: {
    store_id: string;
    id: string;
    url: string;
    events: EventType[];
    status: EndpointStatus;
    sealed_secret: string;
    failures: Generated<number>;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
  };
  webhook_event: {
    store_id: string;
    id: string;
    type: EventType;
    body: string;
    created_at: Date;
  };
  webhook_delivery: {
    store_id: string;
    endpoint_id: string;
    id: string;
    event_id: string;
    event_type: EventType;
    status: DeliveryStatus;
    attempts: Generated<number>;
    attempt_log: Generated<AttemptRecord[]>;
    is_last_attempt: Generated<boolean>;
    next_attempt_at: Date | null;
    last_status_code: number | null;
    last_error: Generated<string>;
    created_at: Generated<Date>;
    delivered_at: Date | null;
  };
  webhook_due: {
    store_id: string;
    endpoint_id: string;
    delivery_id: string;
    claimable_at: Date;
    is_leased: boolean;
  };
}

/** How an attempt ended. */
export interface AttemptRecord {
  attempt: number;
  statusCode: number | null;
  error: string;
  durationMs: number;
  endedAt: string;
}
