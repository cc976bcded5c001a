-- A client that did not get its answer sends the request again, and this must not make the change twice. So the answer
-- to an Idempotency-Key is stored in the transaction of the request that it answers. Hashes stand for the key and the
-- request. The answer is sealed, because it may hold a secret that is shown once.
create table idempotent_answer (
  key_hash bytea primary key,
  request_hash bytea not null,
  answer bytea not null,
  created_at timestamptz not null default now()
);
-- The sweep deletes the oldest answers first.
create index idempotent_answer_age on idempotent_answer (created_at);
