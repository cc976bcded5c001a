import type { Product } from '@waybill/contracts';
import type { ColumnType } from 'kysely';

type Moment = ColumnType<Date, Date, Date>;

export interface Tables {
  product: {
    store_id: string;
    id: string;
    number: number;
    name: string;
    name_key: string;
    slug: string;
    status: Product['status'];
    description: string;
    tags: string[];
    media_ids: string[];
    price_cents: number | null;
    total_stock: number;
    search: string;
    created_at: Moment;
    updated_at: Moment;
  };
  variant: {
    store_id: string;
    id: string;
    product_id: string;
    position: number;
    sku: string | null;
    name: string;
    price_cents: number;
    stock: number;
  };
  product_total: {
    store_id: string;
    last_number: number;
    draft: number;
    active: number;
    archived: number;
  };
}
