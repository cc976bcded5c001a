-- The first hundred of a user's stores are read whenever a console starts. Along the index by user alone all of them
-- would be sorted for it, or, worse, the primary key read through in the hope of meeting them soon.
create index concurrently if not exists member_of_user_in_order on member (user_id, store_id);
drop index concurrently if exists member_of_user;
