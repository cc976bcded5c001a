import { runService } from '@waybill/kernel';
import { delivery } from './index.ts';

runService(delivery);
