-- When time alone takes the first product out of a rule with `within` (`decisions.md 20.3`); null: not before something
-- changes. `match_at` is when the members are to be found anew for any other reason.
alter table category add column passes_at timestamptz;
