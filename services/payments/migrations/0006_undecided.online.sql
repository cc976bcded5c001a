-- The age of the payment that has been undecided for longest.
create index concurrently if not exists payment_session_undecided on payment_session (started_at)
  where next_lookup_at is not null;
