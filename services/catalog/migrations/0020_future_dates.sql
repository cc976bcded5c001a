-- A date of a custom field that lies ahead no longer meets `within` before it arrives (`decisions.md 20.3`): rules on
-- such fields are matched again. `passes_at` is when time alone may next add or remove a product.
update category set match_at = coalesce(match_at, now())
where kind = 'rule' and rule::text like '%"within"%' and rule::text like '%customField.%';
