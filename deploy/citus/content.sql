-- The content service: every row belongs to a store.

-- Every visit also looks stores up by slug. The table is complete on every server, so that no other server is asked.
select create_reference_table('store_fact');

select create_distributed_table('article', 'store_id');
select create_distributed_table('article_document', 'store_id');
select create_distributed_table('article_listing', 'store_id');
select create_distributed_table('article_total', 'store_id');
select create_distributed_table('blog', 'store_id');
select create_distributed_table('blog_category', 'store_id');
select create_distributed_table('fact_change', 'store_id');
select create_distributed_table('form_box', 'store_id');
select create_distributed_table('form_submission', 'store_id');
select create_distributed_table('former_slug', 'store_id');
select create_distributed_table('gone_category', 'store_id');
select create_distributed_table('history', 'store_id');
select create_distributed_table('known_product', 'store_id');
select create_distributed_table('known_category', 'store_id');
select create_distributed_table('live_page', 'store_id');
select create_distributed_table('live_page_dependency', 'store_id');
select create_distributed_table('page', 'store_id');
select create_distributed_table('page_draft', 'store_id');
select create_distributed_table('page_list', 'store_id');
select create_distributed_table('revision', 'store_id');
select create_distributed_table('revision_document', 'store_id');
select create_distributed_table('section', 'store_id');
select create_distributed_table('section_use', 'store_id');
select create_distributed_table('stale_page', 'store_id');
select create_distributed_table('template', 'store_id');
select create_distributed_table('theme', 'store_id');
select create_distributed_table('translatable_field', 'store_id');
select create_distributed_table('translated_store', 'store_id');
select create_distributed_table('translation', 'store_id');
select create_distributed_table('custom_field', 'store_id');
