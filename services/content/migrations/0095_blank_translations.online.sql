-- A translation of blanks or zero-width characters stood in the place of the original and showed nothing. It stays as it
-- was sent, and counts as none (`decisions.md 19.4`). The characters are those of `hasVisibleCharacter`.
create or replace function shows(text) returns boolean language sql immutable strict parallel safe as $$
  select $1 ~ '[^\u0001-\u0020\u007f-\u00a0\u00ad\u034f\u061c\u115f-\u1160\u1680\u17b4-\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]'
$$;

create index concurrently if not exists translation_shown on translation
  (store_id, locale, entity_type, entity_id, field) where shows(value);
drop index concurrently if exists translation_filled;
