import { runService } from '@waybill/kernel';
import { payments } from './index.ts';

runService(payments);
