-- Who may join an organisation without having an account yet. The link's token is identity's, and asking twice is to
-- come to the same, so what is accepted stays until it is too old. What is withdrawn is deleted.
create table org_invitation (
  org_id text not null references organisation (id) on delete cascade,
  id text not null,
  -- Lower-case.
  email text not null,
  role text not null check (role in ('owner', 'developer')),
  -- A user; the invitation counts as long as that one is an owner.
  invited_by text not null,
  -- The user who has accepted it.
  accepted_by text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (org_id, id)
);
create unique index org_invitation_of_address on org_invitation (org_id, email);
create index org_invitation_in_order on org_invitation (org_id, created_at, id);
create index org_invitation_expiry on org_invitation (expires_at);
