-- A hash of the Idempotency-Key that made it: its repetition finds the refund where a crash lost the answer.
alter table refund add column request_key text;
