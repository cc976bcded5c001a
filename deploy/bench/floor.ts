/**
 * The floor of the API: a bare node:http server that answers with the same JSON from the same tables, by statements
 * that each connection prepares once; without credentials, checks and events.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '@waybill/contracts';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.FLOOR_DATABASE_URL, max: 10 });
const storeId = process.env.FLOOR_STORE_ID!;

const moment = (column: string) => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const product = `json_build_object('id', p.id, 'number', p.number, 'name', p.name, 'slug', p.slug, 'status', p.status,
  'description', p.description, 'tags', p.tags, 'mediaIds', p.media_ids,
  'variants', (select coalesce(json_agg(json_build_object('id', v.id, 'sku', v.sku, 'name', v.name,
      'priceCents', v.price_cents, 'stock', v.stock) order by v.position), '[]')
    from variant v where v.store_id = p.store_id and v.product_id = p.id),
  'priceCents', p.price_cents, 'totalStock', p.total_stock,
  'createdAt', ${moment('p.created_at')}, 'updatedAt', ${moment('p.updated_at')})`;

const statements = {
  read: `select json_build_object('product', ${product})::text as json from product p where store_id = $1 and id = $2`,
  list: `select json_build_object('products', json_agg(${product} order by p.number), 'total',
      (select draft + active + archived from product_total where store_id = $1))::text as json
    from (select * from product where store_id = $1 order by number limit 50) p`,
  search: `with m as materialized (select * from product where store_id = $1 and search like $2)
    select json_build_object('products', (select coalesce(json_agg(${product} order by p.number), '[]')
      from (select * from m order by number limit 50) p), 'total', (select count(*) from m))::text as json`,
  create: `with t as (update product_total set last_number = last_number + 1, draft = draft + 1 where store_id = $1
      returning last_number),
    p as (insert into product (store_id, id, number, name, slug, status, description, tags, media_ids, name_key, search,
        price_cents, total_stock, created_at, updated_at)
      select $1, $2, last_number, $3, $4, 'draft', '', '{}', '{}', lower($3), $4, $6, 5, now(), now() from t returning *),
    v as (insert into variant (store_id, product_id, id, position, sku, name, price_cents, stock)
      values ($1, $2, $5, 1, $4, '', $6, 5))
    select json_build_object('product', json_build_object('id', id, 'number', number, 'name', name, 'slug', slug,
      'status', status, 'description', description, 'tags', tags, 'mediaIds', media_ids, 'variants', json_build_array(
        json_build_object('id', $5::text, 'sku', $4::text, 'name', '', 'priceCents', $6::bigint, 'stock', 5)),
      'priceCents', price_cents, 'totalStock', total_stock, 'createdAt', ${moment('created_at')},
      'updatedAt', ${moment('updated_at')}))::text as json from p`,
};

async function answer(res: ServerResponse, status: number, name: keyof typeof statements, values: unknown[]) {
  const { rows } = await pool.query<{ json: string }>({ name, text: statements[name], values });
  const { json } = rows[0]!;
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(json),
  });
  res.end(json);
}

const server = createServer((req, res) => {
  const url = new URL(req.url!, 'http://floor');
  const id = url.pathname.slice('/api/v1/products/'.length);
  const q = url.searchParams.get('q');
  if (req.method === 'GET' && id) return void answer(res, 200, 'read', [storeId, id]);
  if (req.method === 'GET' && q) return void answer(res, 200, 'search', [storeId, `%${q}%`]);
  if (req.method === 'GET') return void answer(res, 200, 'list', [storeId]);
  const chunks: Buffer[] = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    const { name, variants } = JSON.parse(Buffer.concat(chunks).toString());
    const [{ sku, priceCents }] = variants;
    void answer(res, 201, 'create', [storeId, newId('product'), name, sku, newId('variant'), priceCents]);
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.on('SIGTERM', () => process.exit(0));
