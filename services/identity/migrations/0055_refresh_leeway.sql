-- Tabs of one browser share a refresh token in a cookie and may send it a moment after another of them has used it: such
-- a late one is told from one that came back by when the token was used first. Null: from before this, or not yet.
alter table refresh_token add column used_at timestamptz;
