-- A request whose answer was lost is sent again, and is to change nothing twice: the answer to an Idempotency-Key is
-- kept in the transaction of what it answers. Hashes stand for key and request; the answer is sealed, since it may
-- hold a secret that is shown once.
create table idempotent_answer (
  key_hash bytea primary key,
  request_hash bytea not null,
  answer bytea not null,
  created_at timestamptz not null default now()
);
-- What is swept is deleted from the oldest on.
create index idempotent_answer_age on idempotent_answer (created_at);
