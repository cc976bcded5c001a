-- A date of a custom field that lies ahead no longer meets `within` before it arrives (`decisions.md 20.3`), so
-- `passes_at` is also when time adds a product. Rules on such fields are matched again within an hour, not at once, as
-- copies of the version before would match them as they did.
update category set passes_at = least(passes_at, now() + interval '1 hour')
where kind = 'rule' and rule::text like '%"within"%' and rule::text like '%customField.%';
