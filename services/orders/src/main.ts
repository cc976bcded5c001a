import { runService } from '@waybill/kernel';
import { orders } from './index.ts';

runService(orders);
