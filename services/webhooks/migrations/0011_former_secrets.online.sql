-- Former secrets whose overlap is over are forgotten; without an index of their own that reads every endpoint.
create index concurrently if not exists webhook_endpoint_former_secret on webhook_endpoint (previous_secret_expires_at)
  where previous_secret_expires_at is not null;
