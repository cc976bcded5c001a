-- The secret of a document's address lay in the clear: whoever read the database could open every document. New documents
-- store only its hash, and the task `hash-document-secrets` puts the hash in the place of older secrets, in steps.
alter table document
  alter column secret drop not null,
  -- SHA-256 of each secret that was given out: one, and another where the keys they are derived from were replaced.
  add column secret_hashes bytea[];
