-- A search asks its index for the rare parts of its words alone (`trigrams.ts` in the kernel), as of an address not for its
-- host: how rare they are PostgreSQL samples when it analyzes the tables.
create statistics if not exists order_trigrams on (show_trgm(search)) from "order";
create statistics if not exists customer_trigrams on (show_trgm(search)) from customer;

analyze "order";
analyze customer;
